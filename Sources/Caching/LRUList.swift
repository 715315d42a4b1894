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
    @usableFromInline var counters = MemoryCacheCounters()

    @usableFromInline init() {}

    var count: Int { indices.count }

    /// Both collections double when they are full, a dictionary at three quarters of its buckets.
    static var bytesPerEntry: Int {
        let bucket = MemoryLayout<Key>.stride + MemoryLayout<Int>.stride
        return bucket * 8 / 3 + 1 + 2 * MemoryLayout<Node>.stride
    }

    @inlinable
    mutating func use(_ key: Key) -> Value? {
        guard let index = indices[key] else {
            counters.misses &+= 1
            return nil
        }
        counters.hits &+= 1
        unlink(index)
        linkAsNewest(index)
        return nodes[index].entry?.value
    }

    func peek(_ key: Key) -> Value? { indices[key].flatMap { nodes[$0].entry?.value } }

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
        {
            removed.append(evicted)
            counters.evictions &+= 1
        }
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
