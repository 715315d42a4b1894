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
    /// Maximum of all costs, in the unit of the cost function.
    public let totalCostLimit: Int
    @usableFromInline package let countLimit: Int
    @usableFromInline package let entryCostLimit: Int
    /// Maximum bookkeeping of an entry in bytes, without what key and value own; for cost functions in bytes.
    package static var bytesPerEntry: Int { LRUList<Key, Value>.bytesPerEntry }
    @usableFromInline let cost: @Sendable (Value) -> Int
    @usableFromInline let entries = Mutex(LRUList<Key, Value>())

    /// Creates an empty cache; negative limits count as zero.
    ///
    /// - Parameters:
    ///   - totalCostLimit: maximum of all costs; by default a share of this process's memory, with costs in bytes.
    ///   - countLimit: maximum number of entries.
    ///   - entryCostLimit: maximum cost of an entry; by default a tenth of `totalCostLimit`, and never above it.
    ///   - cost: called once per insertion, on the caller's thread without the lock; negative results count as zero. Values without
    ///     cost are limited by `countLimit` alone.
    public init(
        totalCostLimit: Int? = nil, countLimit: Int = .max, entryCostLimit: Int? = nil,
        cost: @escaping @Sendable (Value) -> Int
    ) {
        self.totalCostLimit = max(0, totalCostLimit ?? MemoryBudget.current().cacheBytes)
        self.countLimit = max(0, countLimit)
        self.entryCostLimit = max(0, min(entryCostLimit ?? self.totalCostLimit / 10, self.totalCostLimit))
        self.cost = cost
    }

    /// Returns the value of a key and makes it the newest.
    @inlinable
    public func value(for key: Key) -> Value? { entries.withLock { $0.use(key) } }

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
                entries.evict(toCost: totalCostLimit - cost, count: countLimit - 1, into: &removed)
                entries.add(LRUList.Entry(key: key, value: value, cost: cost))
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

    /// Removes everything and frees the memory.
    public func removeAll() {
        let old = entries.withLock { entries in
            defer { entries = LRUList() }
            return entries
        }
        withExtendedLifetime(old) {}
    }

    /// Number of entries.
    public var count: Int { entries.withLock { $0.count } }
    /// Sum of all costs, at most `totalCostLimit`.
    public var totalCost: Int { entries.withLock { $0.totalCost } }
}

/// Entries by key, in a doubly linked list from the newest to the oldest use.
///
/// Removed entries are returned, so that the caller can release them after unlocking.
@usableFromInline
struct LRUList<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let key: Key
        @usableFromInline let value: Value
        @usableFromInline let cost: Int

        @inlinable
        init(key: Key, value: Value, cost: Int) {
            self.key = key
            self.value = value
            self.cost = cost
        }
    }

    /// A place in the list, or an empty one in the list of these.
    @usableFromInline
    struct Node: Sendable {
        @usableFromInline var newer = 0
        @usableFromInline var older = 0
        @usableFromInline var entry: Entry?

        @inlinable init() {}
    }

    /// Closes the list to a ring: the newest entry is `older` than this node, the oldest one `newer`.
    @inlinable static var end: Int { 0 }

    @usableFromInline var indices: [Key: Int] = [:]
    @usableFromInline var nodes = [Node()]
    /// The first empty node, linked by `older`; `end` if there is none.
    @usableFromInline var firstEmpty = end
    @usableFromInline var totalCost = 0

    @usableFromInline init() {}

    var count: Int { indices.count }

    /// Both collections double when they are full, a dictionary at three quarters of its buckets.
    static var bytesPerEntry: Int {
        let bucket = MemoryLayout<Key>.stride + MemoryLayout<Int>.stride
        return bucket * 8 / 3 + 1 + 2 * MemoryLayout<Node>.stride
    }

    @inlinable
    mutating func use(_ key: Key) -> Value? {
        guard let index = indices[key] else { return nil }
        unlink(index)
        linkAsNewest(index)
        return nodes[index].entry?.value
    }

    /// Adds an entry as the newest; its key must not be present.
    @inlinable
    mutating func add(_ entry: Entry) {
        let index = firstEmpty == Self.end ? nodes.count : firstEmpty
        if index == nodes.count { nodes.append(Node()) } else { firstEmpty = nodes[index].older }
        nodes[index].entry = entry
        indices[entry.key] = index
        totalCost += entry.cost
        linkAsNewest(index)
    }

    @inlinable
    mutating func remove(_ key: Key) -> Entry? {
        guard let index = indices.removeValue(forKey: key), let entry = nodes[index].entry.take() else { return nil }
        unlink(index)
        nodes[index].older = firstEmpty
        firstEmpty = index
        totalCost -= entry.cost
        return entry
    }

    /// Moves the oldest entries to `removed` until cost and count are within limits.
    @inlinable
    mutating func evict(toCost cost: Int, count: Int, into removed: inout [Entry]) {
        while totalCost > cost || indices.count > count, let oldest = nodes[nodes[Self.end].newer].entry,
            let evicted = remove(oldest.key)
        { removed.append(evicted) }
    }

    @inlinable
    mutating func unlink(_ index: Int) {
        let node = (newer: nodes[index].newer, older: nodes[index].older)
        nodes[node.newer].older = node.older
        nodes[node.older].newer = node.newer
    }

    @inlinable
    mutating func linkAsNewest(_ index: Int) {
        let newest = nodes[Self.end].older
        nodes[index].newer = Self.end
        nodes[index].older = newest
        nodes[newest].newer = index
        nodes[Self.end].older = index
    }
}
