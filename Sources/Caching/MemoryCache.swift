public import SpyglassThreads

/// A cache of values in memory up to a total cost; evicts the least recently used first.
///
///     let images = MemoryCache<String, Image>(totalCostLimit: 32 << 20) { $0.byteCount }
///     images.insert(image, for: address)
///     images.value(for: address)
///
/// After every operation cost and count are within their limits. Removed values are released after unlocking: their `deinit` and the
/// cost function may call the cache. A key's `hash(into:)` and `==` run under the lock and must not.
///
/// Nothing is pinned and nothing expires. Thread-safe and linearizable: one lock guards everything. Calls take constant time on
/// average, apart from what they evict. `removeAll` frees the bookkeeping's memory.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Name in statistics.
    package let name: String
    /// Maximum of all costs, in the unit of the cost function.
    public let totalCostLimit: Int
    /// Maximum number of entries.
    @usableFromInline package let countLimit: Int
    /// Maximum cost of an entry.
    @usableFromInline package let entryCostLimit: Int
    /// Maximum bookkeeping of an entry in bytes, without what key and value own; for cost functions in bytes.
    package static var bytesPerEntry: Int { LRUList<Key, Value>.bytesPerEntry }
    @usableFromInline let cost: @Sendable (Value) -> Int
    @usableFromInline let entries = Mutex(LRUList<Key, Value>())

    /// Creates an empty cache; negative limits count as zero.
    ///
    /// - Parameters:
    ///   - name: the name in statistics.
    ///   - totalCostLimit: maximum of all costs; by default a share of this process's memory, with costs in bytes.
    ///   - countLimit: maximum number of entries.
    ///   - entryCostLimit: maximum cost of an entry; by default a tenth of `totalCostLimit`, and never above it.
    ///   - cost: called once per insertion, on the caller's thread without the lock; negative results count as zero. Values without
    ///     cost are limited by `countLimit` alone.
    public init(
        name: String = "", totalCostLimit: Int? = nil, countLimit: Int = .max,
        entryCostLimit: Int? = nil, cost: @escaping @Sendable (Value) -> Int
    ) {
        self.name = name
        self.totalCostLimit = max(0, totalCostLimit ?? MemoryBudget.current().cacheBytes)
        self.countLimit = max(0, countLimit)
        self.entryCostLimit = max(0, min(entryCostLimit ?? self.totalCostLimit / 10, self.totalCostLimit))
        self.cost = cost
    }

    /// Returns the value of a key and makes it the newest.
    @inlinable
    public func value(for key: Key) -> Value? { entries.withLock { $0.use(key) } }

    /// Returns the value of a key; not a use, a hit or a miss.
    package func peek(_ key: Key) -> Value? { entries.withLock { $0.peek(key) } }

    /// Inserts a value as the newest, replacing the key's previous one, and evicts the oldest as needed.
    ///
    /// - Returns: `false` if its cost is above `entryCostLimit` or `countLimit` is zero; the previous value is removed, too.
    @inlinable @discardableResult
    public func insert(_ value: Value, for key: Key) -> Bool {
        let cost = max(0, cost(value))
        let isAccepted = cost <= entryCostLimit && countLimit > 0
        let removed = entries.withLock { entries in
            var removed = entries.remove(key).map { [$0] } ?? []
            if isAccepted {
                entries.counters.insertions &+= 1
                entries.evict(toCost: totalCostLimit - cost, count: countLimit - 1, into: &removed)
                entries.add(LRUList.Entry(key: key, value: value, cost: cost))
            } else {
                entries.counters.rejections &+= 1
            }
            return removed
        }
        // Keeps the optimiser from releasing them under the lock.
        withExtendedLifetime(removed) {}
        return isAccepted
    }

    /// Removes and returns the value of a key.
    @discardableResult
    public func remove(_ key: Key) -> Value? {
        let entry = entries.withLock { $0.remove(key) }
        return withExtendedLifetime(entry) { entry?.value }
    }

    /// Removes everything and frees the memory; the counters stay.
    public func removeAll() {
        let old = entries.withLock { entries in
            let old = entries
            entries = LRUList()
            entries.counters = old.counters
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Evicts the oldest until the total cost is at most `limit`.
    package func trim(toCost limit: Int) { trim(toCost: max(0, limit), count: .max) }

    /// Evicts the oldest until there are at most `limit` entries.
    package func trim(toCount limit: Int) { trim(toCost: .max, count: max(0, limit)) }

    private func trim(toCost cost: Int, count: Int) {
        let removed = entries.withLock { entries in
            var removed: [LRUList<Key, Value>.Entry] = []
            entries.evict(toCost: cost, count: count, into: &removed)
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    /// Number of entries.
    public var count: Int { entries.withLock { $0.count } }
    /// Sum of all costs, at most `totalCostLimit`.
    public var totalCost: Int { entries.withLock { $0.totalCost } }
    /// Events so far.
    package var counters: MemoryCacheCounters { entries.withLock { $0.counters } }
}

/// Events in a `MemoryCache` since its creation; counters wrap around.
@usableFromInline package struct MemoryCacheCounters: Hashable, Sendable {
    /// Successful lookups.
    @usableFromInline package var hits = 0
    /// Failed lookups.
    @usableFromInline package var misses = 0
    /// Insertions, replacements included.
    @usableFromInline package var insertions = 0
    /// Values above the cost limit, or all when the count limit is zero.
    @usableFromInline package var rejections = 0
    /// Evictions by a limit or a `trim`; not removals and replacements.
    @usableFromInline package var evictions = 0

    package init() {}
}
