public import SpyglassThreads

/// Values under keys, in memory, up to a cost: the least recently used go first.
///
///     let pictures = MemoryCache<String, Picture>(totalCostLimit: 32 << 20) { $0.byteCount }
///     pictures.insert(picture, for: address)
///     pictures.value(for: address)
///
/// The order is exact: what goes is always what was inserted or found longest ago. After every operation the total cost and the count
/// are within their limits, without a grace period. What leaves is released after the lock is given back, so that a `deinit` may
/// call the cache, as the cost function and a key's `hash(into:)` may; a key's `==` is called under the lock and may not.
///
/// Nothing is pinned and nothing ages. What is on a screen is held by the screen's own state, and stays alive there when it is evicted
/// here; whether an entry is still fresh is for who put it in to say.
///
/// Thread-safe; every call is synchronous and takes constant time, `insert` and the `trim`s besides what they evict, `removeAll` besides what it
/// releases. The memory of the bookkeeping follows the highest count so far and is given back by `removeAll`.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What the cache is called in statistics.
    public let name: String
    /// What the costs of all entries may come to, in the unit of the cost function.
    public let totalCostLimit: Int
    /// How many entries there may be.
    public let countLimit: Int
    /// The greatest cost of an entry that is kept.
    public let entryCostLimit: Int

    /// The bytes that the cache itself takes for an entry at most, besides what a key and a value own elsewhere; for cost functions in bytes.
    public static var bytesPerEntry: Int { LRUTable<Key, Value>.bytesPerEntry }

    @usableFromInline let cost: @Sendable (Value) -> Int
    @usableFromInline let table: Mutex<LRUTable<Key, Value>>

    /// An empty cache.
    ///
    /// Negative limits count as zero.
    ///
    /// - Parameters:
    ///   - name: what it is called in statistics.
    ///   - totalCostLimit: what all costs may come to; a share of this process's memory (`MemoryBudget`) unless given, with costs in bytes.
    ///   - countLimit: how many entries there may be.
    ///   - entryCostLimit: entries that cost more are refused; a tenth of `totalCostLimit` unless given, and never more than that.
    ///   - cost: what a value costs. Asked once, when it is inserted, on the caller's thread and without the lock; negative
    ///     answers count as zero. What costs nothing is bounded by `countLimit` alone.
    public init(
        name: String = "", totalCostLimit: Int = MemoryBudget.defaultCacheBytes(), countLimit: Int = .max,
        entryCostLimit: Int? = nil, cost: @escaping @Sendable (Value) -> Int
    ) {
        self.name = name
        self.totalCostLimit = max(0, totalCostLimit)
        self.countLimit = max(0, countLimit)
        self.entryCostLimit = max(0, min(entryCostLimit ?? self.totalCostLimit / 10, self.totalCostLimit))
        self.cost = cost
        table = Mutex(LRUTable(costLimit: self.totalCostLimit, countLimit: self.countLimit))
    }

    /// The value under a key, which becomes the newest by that.
    @inlinable
    public func value(for key: Key) -> Value? {
        let hash = LRUTable<Key, Value>.hash(of: key)
        return table.withLock { $0.use(key, hash) }
    }

    /// The value under a key, whose place in the order stays; neither a hit nor a miss.
    public func peek(_ key: Key) -> Value? {
        let hash = LRUTable<Key, Value>.hash(of: key)
        return table.withLock { $0.value(of: key, hash) }
    }

    /// Keeps a value as the newest, in place of the one that the key had, and evicts as many of the oldest as it takes.
    ///
    /// - Returns: whether it was kept. `false` when its cost is above `entryCostLimit` or `countLimit` is zero; the value that the key had
    ///   is gone then as well, since it is out of date.
    @inlinable @discardableResult
    public func insert(_ value: Value, for key: Key) -> Bool {
        let cost = max(0, cost(value))
        let hash = LRUTable<Key, Value>.hash(of: key)
        guard cost <= entryCostLimit, countLimit > 0 else {
            let outdated = table.withLock { $0.refuse(key, hash) }
            withExtendedLifetime(outdated) {}
            return false
        }
        let leavers = table.withLock { $0.insert(key, hash, value, cost) }
        // Without this the optimiser may end a life after its last use, which is under the lock.
        withExtendedLifetime(leavers) {}
        return true
    }

    /// Forgets a key and answers its value, if it had one.
    @discardableResult
    public func remove(_ key: Key) -> Value? {
        let hash = LRUTable<Key, Value>.hash(of: key)
        let entry = table.withLock { $0.remove(key, hash) }
        return withExtendedLifetime(entry) { entry?.value }
    }

    /// Forgets everything and gives the memory back; the counters stay.
    public func removeAll() {
        let old = table.withLock { $0.removeAll() }
        withExtendedLifetime(old) {}
    }

    /// Evicts the oldest until the total cost is no more than `limit`; for when memory is short.
    public func trim(toCost limit: Int) { trim(toCost: max(0, limit), count: .max) }

    /// Evicts the oldest until there are no more than `limit` entries.
    public func trim(toCount limit: Int) { trim(toCost: .max, count: max(0, limit)) }

    private func trim(toCost cost: Int, count: Int) {
        let leavers = table.withLock { $0.trim(toCost: cost, count: count) }
        withExtendedLifetime(leavers) {}
    }

    /// How many entries there are.
    public var count: Int { table.withLock { $0.count } }

    /// What they cost together, at most `totalCostLimit`.
    public var totalCost: Int { table.withLock { $0.totalCost } }

    /// What has happened so far.
    public var counters: MemoryCacheCounters { table.withLock { $0.counters } }
}
