public import SpyglassThreads

/// A cache of values in memory up to a total cost; evicts the least recently used first.
///
///     let images = MemoryCache<String, Image>(totalCostLimit: 32 << 20) { $0.byteCount }
///     images.insert(image, for: address)
///     images.value(for: address)
///
/// After every operation cost and count are within their limits. Evicted values are released after unlocking: a `deinit`, the cost
/// function and a key's `hash(into:)` may call the cache; a key's `==` runs under the lock and must not.
///
/// Nothing is pinned and nothing expires. Thread-safe and linearizable: look-ups of several threads run at the same time, changes one
/// after another. Calls take constant time on average, apart from what they evict. `removeAll` frees the bookkeeping's memory, except
/// for 7 KB.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Name in statistics.
    public let name: String
    /// Maximum of all costs, in the unit of the cost function.
    public let totalCostLimit: Int
    /// Maximum number of entries.
    public let countLimit: Int
    /// Maximum cost of an entry.
    public let entryCostLimit: Int
    /// Maximum bookkeeping of an entry in bytes, without what key and value own; for cost functions in bytes.
    public static var bytesPerEntry: Int { LRUTable<Key, Value>.bytesPerEntry }
    @usableFromInline let cost: @Sendable (Value) -> Int
    /// For look-ups.
    @usableFromInline let entries: StripedTable<Key, Value>
    /// For changes of the entries.
    @usableFromInline let table: Mutex<LRUTable<Key, Value>>

    /// Creates an empty cache; negative limits count as zero.
    ///
    /// - Parameters:
    ///   - name: the name in statistics.
    ///   - totalCostLimit: maximum of all costs; by default a share of this process's memory (`MemoryBudget`), with costs in bytes.
    ///   - countLimit: maximum number of entries.
    ///   - entryCostLimit: maximum cost of an entry; by default a tenth of `totalCostLimit`, and never above it.
    ///   - cost: called once per insertion, on the caller's thread without the lock; negative results count as zero. Values without
    ///     cost are limited by `countLimit` alone.
    public init(
        name: String = "", totalCostLimit: Int = MemoryBudget.defaultCacheBytes(), countLimit: Int = .max,
        entryCostLimit: Int? = nil, cost: @escaping @Sendable (Value) -> Int
    ) {
        self.name = name
        self.totalCostLimit = max(0, totalCostLimit)
        self.countLimit = max(0, countLimit)
        self.entryCostLimit = max(0, min(entryCostLimit ?? self.totalCostLimit / 10, self.totalCostLimit))
        self.cost = cost
        let table = LRUTable<Key, Value>(costLimit: self.totalCostLimit, countLimit: self.countLimit)
        entries = table.table
        self.table = Mutex(table)
    }

    /// Returns the value of a key and makes it the newest.
    @inlinable
    public func value(for key: Key) -> Value? {
        let hash = StripedTable<Key, Value>.hash(of: key)
        return entries.use(key, hash)
    }

    /// Returns the value of a key; not a use, a hit or a miss.
    public func peek(_ key: Key) -> Value? {
        let hash = StripedTable<Key, Value>.hash(of: key)
        return entries.value(of: key, hash)
    }

    /// Inserts a value as the newest, replacing the key's previous one, and evicts the oldest as needed.
    ///
    /// - Returns: `false` if its cost is above `entryCostLimit` or `countLimit` is zero; the previous value is removed, too.
    @inlinable @discardableResult
    public func insert(_ value: Value, for key: Key) -> Bool {
        let cost = max(0, cost(value))
        let hash = StripedTable<Key, Value>.hash(of: key)
        guard cost <= entryCostLimit, countLimit > 0 else {
            let outdated = table.withLock { $0.refuse(key, hash) }
            withExtendedLifetime(outdated) {}
            return false
        }
        let evicted = table.withLock { $0.insert(key, hash, value, cost) }
        // Otherwise the optimiser may release it under the lock.
        withExtendedLifetime(evicted) {}
        return true
    }

    /// Removes and returns the value of a key.
    @discardableResult
    public func remove(_ key: Key) -> Value? {
        let hash = StripedTable<Key, Value>.hash(of: key)
        let entry = table.withLock { $0.remove(key, hash) }
        return withExtendedLifetime(entry) { entry?.value }
    }

    /// Removes everything and frees the memory; the counters stay.
    public func removeAll() {
        let old = table.withLock { $0.removeAll() }
        withExtendedLifetime(old) {}
    }

    /// Evicts the oldest until the total cost is at most `limit`.
    public func trim(toCost limit: Int) { trim(toCost: max(0, limit), count: .max) }

    /// Evicts the oldest until there are at most `limit` entries.
    public func trim(toCount limit: Int) { trim(toCost: .max, count: max(0, limit)) }

    private func trim(toCost cost: Int, count: Int) {
        let evicted = table.withLock { $0.trim(toCost: cost, count: count) }
        withExtendedLifetime(evicted) {}
    }

    /// Number of entries.
    public var count: Int { table.withLock { $0.count } }
    /// Sum of all costs, at most `totalCostLimit`.
    public var totalCost: Int { table.withLock { $0.totalCost } }
    /// Events so far.
    public var counters: MemoryCacheCounters {
        var counters = table.withLock { $0.counters }
        entries.count(into: &counters)
        return counters
    }
}
