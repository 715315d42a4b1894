/// Entries under keys, in the order of their last use: a hash table and a list through the same nodes.
///
/// Whatever leaves is handed out and not released here: the caller holds a lock. Not shared between threads by itself.
@usableFromInline
struct RecencyTable<Key: Hashable, Value> {
    /// What one key has.
    @usableFromInline
    struct Entry {
        @usableFromInline let key: Key
        @usableFromInline var value: Value
        @usableFromInline var cost: Int

        @usableFromInline init(key: Key, value: Value, cost: Int) {
            self.key = key
            self.value = value
            self.cost = cost
        }
    }

    /// A place for an entry, linked by index to the places before and after it; an empty one is linked to the next empty one by `newer`.
    @usableFromInline
    struct Node {
        @usableFromInline var entry: Entry?
        @usableFromInline var hash: UInt32
        @usableFromInline var older: Int32
        @usableFromInline var newer: Int32

        @usableFromInline init(entry: Entry?, hash: UInt32, older: Int32, newer: Int32) {
            self.entry = entry
            self.hash = hash
            self.older = older
            self.newer = newer
        }
    }

    /// A place of the hash table: which node, and its hash, so that most comparisons touch no node.
    @usableFromInline
    struct Slot {
        @usableFromInline var hash: UInt32
        /// Zero where nothing is.
        @usableFromInline var node: Int32

        @usableFromInline init(hash: UInt32, node: Int32) {
            self.hash = hash
            self.node = node
        }
    }

    /// What had to leave: one entry as a rule, and then without an allocation.
    @usableFromInline
    struct Leavers {
        @usableFromInline var first: Entry?
        @usableFromInline var others: [Entry] = []

        @usableFromInline init() {}
    }

    @usableFromInline let costLimit: Int
    @usableFromInline let countLimit: Int
    @usableFromInline var counters = MemoryCacheCounters()
    @usableFromInline var count = 0
    @usableFromInline var totalCost = 0
    /// The first node is no place but both ends of the list: `newer` is the oldest entry and `older` the newest.
    @usableFromInline var nodes: [Node] = []
    @usableFromInline var firstEmpty: Int32 = 0
    /// A power of two of places, half of them empty at least; probed one after the other.
    @usableFromInline var slots: [Slot] = []

    init(costLimit: Int, countLimit: Int) {
        self.costLimit = costLimit
        self.countLimit = min(countLimit, Self.mostNodes)
        clear()
    }

    /// What an index of 32 bits can name, with slots twice as many.
    private static var mostNodes: Int { 1 << 30 }
    private static var fewestSlots: Int { 16 }

    /// A key's hash; computed without the lock, since a key's own code takes its time.
    ///
    /// The multiplier is 2^64 over the golden ratio (Knuth, The Art of Computer Programming, 6.4): it spreads what a key's own `hashValue`
    /// may have left close together.
    @inlinable
    static func hash(of key: Key) -> UInt32 {
        UInt32(truncatingIfNeeded: (UInt(bitPattern: key.hashValue) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    // MARK: What the cache asks for

    @inlinable
    mutating func use(_ key: Key, _ hash: UInt32) -> Value? {
        guard let slot = slot(of: key, hash) else {
            counters.misses &+= 1
            return nil
        }
        counters.hits &+= 1
        let node = slots[slot].node
        makeNewest(node)
        return nodes[Int(node)].entry?.value
    }

    /// Puts an entry in; its cost is within the limit, and the count limit is not zero.
    @inlinable
    mutating func insert(_ key: Key, _ hash: UInt32, _ value: Value, _ cost: Int) -> Leavers {
        counters.insertions &+= 1
        var leavers = Leavers()
        if let slot = slot(of: key, hash) { leavers.add(takeEntry(at: slot)) }
        evict(untilCost: costLimit - cost, count: countLimit - 1, into: &leavers)
        add(Entry(key: key, value: value, cost: cost), hash)
        return leavers
    }

    @inlinable
    mutating func refuse(_ key: Key, _ hash: UInt32) -> Entry? {
        counters.refusals &+= 1
        return remove(key, hash)
    }

    @inlinable
    mutating func remove(_ key: Key, _ hash: UInt32) -> Entry? {
        guard let slot = slot(of: key, hash) else { return nil }
        return takeEntry(at: slot)
    }

    @inlinable
    mutating func trim(toCost cost: Int, count: Int) -> Leavers {
        var leavers = Leavers()
        evict(untilCost: cost, count: count, into: &leavers)
        return leavers
    }

    /// Hands out the memory as a whole.
    mutating func removeAll() -> [Node] {
        let nodes = nodes
        clear()
        return nodes
    }

    private mutating func clear() {
        nodes = [Node(entry: nil, hash: 0, older: 0, newer: 0)]
        slots = Array(repeating: Slot(hash: 0, node: 0), count: Self.fewestSlots)
        firstEmpty = 0
        count = 0
        totalCost = 0
    }

    // MARK: Entries

    @inlinable
    mutating func evict(untilCost cost: Int, count limit: Int, into leavers: inout Leavers) {
        while totalCost > cost || count > limit {
            let oldest = nodes[0].newer
            guard oldest != 0 else { return }
            counters.evictions &+= 1
            leavers.add(takeEntry(at: slot(of: oldest)))
        }
    }

    @inlinable
    mutating func add(_ entry: Entry, _ hash: UInt32) {
        var node = firstEmpty
        if node == 0 {
            node = Int32(nodes.count)
            nodes.append(Node(entry: entry, hash: hash, older: 0, newer: 0))
        } else {
            firstEmpty = nodes[Int(node)].newer
            nodes[Int(node)].entry = entry
            nodes[Int(node)].hash = hash
        }
        linkNewest(node)
        count += 1
        totalCost += entry.cost
        if count * 2 > slots.count { growSlots() }
        fill(Slot(hash: hash, node: node))
    }

    @inlinable
    mutating func takeEntry(at slot: Int) -> Entry? {
        let node = slots[slot].node
        vacate(slot)
        unlink(node)
        nodes[Int(node)].newer = firstEmpty
        firstEmpty = node
        let entry = nodes[Int(node)].entry.take()
        count -= 1
        totalCost -= entry?.cost ?? 0
        return entry
    }

    // MARK: The order

    @inlinable
    mutating func makeNewest(_ node: Int32) {
        guard nodes[0].older != node else { return }
        unlink(node)
        linkNewest(node)
    }

    @inlinable
    mutating func unlink(_ node: Int32) {
        let older = nodes[Int(node)].older
        let newer = nodes[Int(node)].newer
        nodes[Int(older)].newer = newer
        nodes[Int(newer)].older = older
    }

    @inlinable
    mutating func linkNewest(_ node: Int32) {
        let newest = nodes[0].older
        nodes[Int(node)].older = newest
        nodes[Int(node)].newer = 0
        nodes[Int(newest)].newer = node
        nodes[0].older = node
    }

    // MARK: The hash table

    @inlinable
    func slot(of key: Key, _ hash: UInt32) -> Int? {
        let mask = slots.count - 1
        var slot = Int(hash) & mask
        while slots[slot].node != 0 {
            if slots[slot].hash == hash, nodes[Int(slots[slot].node)].entry?.key == key { return slot }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// The slot of a node that is in the list.
    @inlinable
    func slot(of node: Int32) -> Int {
        let mask = slots.count - 1
        var slot = Int(nodes[Int(node)].hash) & mask
        while slots[slot].node != node { slot = (slot + 1) & mask }
        return slot
    }

    @inlinable
    mutating func fill(_ new: Slot) {
        let mask = slots.count - 1
        var slot = Int(new.hash) & mask
        while slots[slot].node != 0 { slot = (slot + 1) & mask }
        slots[slot] = new
    }

    /// Empties a slot and moves those behind it up, so that no search stops short of them.
    @inlinable
    mutating func vacate(_ slot: Int) {
        let mask = slots.count - 1
        var hole = slot
        var next = (hole + 1) & mask
        while slots[next].node != 0 {
            let home = Int(slots[next].hash) & mask
            // It may move unless its home lies behind the hole.
            if (next - home) & mask >= (next - hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        slots[hole].node = 0
    }

    @usableFromInline
    mutating func growSlots() {
        let old = slots
        slots = Array(repeating: Slot(hash: 0, node: 0), count: old.count * 2)
        for slot in old where slot.node != 0 { fill(slot) }
    }
}

extension RecencyTable.Leavers {
    @inlinable
    mutating func add(_ entry: RecencyTable.Entry?) {
        guard let entry else { return }
        if first == nil { first = entry } else { others.append(entry) }
    }
}
