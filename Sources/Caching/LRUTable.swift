/// Entries in the order of their last use: a hash table and a linked list of the same places.
///
/// Evicted entries are returned, not released: the caller holds a lock. Memory is managed by hand: arrays of optionals retain and
/// release each compared key. A hit took 116 ns instead of 65 (66-character keys, AMD EPYC). Not thread-safe.
@usableFromInline
struct LRUTable<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let key: Key
        @usableFromInline let value: Value
        @usableFromInline let cost: Int

        @inlinable init(key: Key, value: Value, cost: Int) {
            self.key = key
            self.value = value
            self.cost = cost
        }
    }

    /// Neighbours in the list and the key's hash; free places form a list through `newer`.
    @usableFromInline
    struct Link {
        @usableFromInline var older: Int32 = 0
        @usableFromInline var newer: Int32 = 0
        @usableFromInline var hash: UInt32 = 0

        @inlinable init() {}
    }

    @usableFromInline let costLimit: Int
    @usableFromInline let countLimit: Int
    @usableFromInline var counters = MemoryCacheCounters()
    @usableFromInline var count = 0
    @usableFromInline var totalCost = 0
    /// Initialised below `usedCount`; index 0 has no entry: `newer` is the oldest, `older` the newest.
    @usableFromInline var links: UnsafeMutablePointer<Link>
    @usableFromInline var entries: UnsafeMutablePointer<Entry>
    @usableFromInline var capacity: Int
    @usableFromInline var usedCount = 1
    @usableFromInline var firstEmpty: Int32 = 0
    @usableFromInline var slots: HashIndex

    @usableFromInline
    init(costLimit: Int, countLimit: Int) {
        self.costLimit = costLimit
        // The range of 32 bits, with twice as many slots.
        self.countLimit = min(countLimit, 1 << 30)
        capacity = 8
        links = .allocate(capacity: capacity)
        links.initialize(to: Link())
        entries = .allocate(capacity: capacity)
        slots = HashIndex(entryCapacity: capacity)
    }

    deinit {
        var index = links[0].newer
        while index != 0 {
            (entries + Int(index)).deinitialize(count: 1)
            index = links[Int(index)].newer
        }
        entries.deallocate()
        links.deallocate()
        slots.deallocate()
    }

    /// Doubling leaves up to half of the places free; there are two slots for an index.
    static var bytesPerEntry: Int {
        2 * (MemoryLayout<Entry>.stride + MemoryLayout<Link>.stride + 2 * MemoryLayout<HashIndex.Slot>.stride)
    }

    /// Computed without the lock; the multiplier, 2^64 over the golden ratio (Knuth, TAOCP 6.4), spreads close `hashValue`s.
    @inlinable
    static func hash(of key: Key) -> UInt32 {
        UInt32(truncatingIfNeeded: (UInt64(UInt(bitPattern: key.hashValue)) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    @inlinable
    mutating func use(_ key: Key, _ hash: UInt32) -> Value? {
        guard let slot = slot(of: key, hash) else {
            counters.misses &+= 1
            return nil
        }
        counters.hits &+= 1
        let index = slots[slot].index
        if links[0].older != index {
            unlink(index)
            linkNewest(index)
        }
        return entries[Int(index)].value
    }

    /// Does not count as a use.
    func value(of key: Key, _ hash: UInt32) -> Value? {
        slot(of: key, hash).map { entries[Int(slots[$0].index)].value }
    }

    /// Its cost is within the limit, and the count limit is not zero.
    @inlinable
    mutating func insert(_ key: Key, _ hash: UInt32, _ value: Value, _ cost: Int) -> EvictedEntries<Entry> {
        counters.insertions &+= 1
        var evicted = EvictedEntries<Entry>()
        if let slot = slot(of: key, hash) { evicted.add(takeEntry(at: slot)) }
        evict(untilCost: costLimit - cost, count: countLimit - 1, into: &evicted)
        add(Entry(key: key, value: value, cost: cost), hash)
        return evicted
    }

    @inlinable
    mutating func refuse(_ key: Key, _ hash: UInt32) -> Entry? {
        counters.rejections &+= 1
        return remove(key, hash)
    }

    @inlinable
    mutating func remove(_ key: Key, _ hash: UInt32) -> Entry? {
        guard let slot = slot(of: key, hash) else { return nil }
        return takeEntry(at: slot)
    }

    @usableFromInline
    mutating func trim(toCost cost: Int, count: Int) -> EvictedEntries<Entry> {
        var evicted = EvictedEntries<Entry>()
        evict(untilCost: cost, count: count, into: &evicted)
        return evicted
    }

    /// Returns all entries; the counters stay.
    @usableFromInline
    mutating func removeAll() -> LRUTable {
        var table = LRUTable(costLimit: costLimit, countLimit: countLimit)
        table.counters = counters
        swap(&self, &table)
        return table
    }

    @inlinable
    mutating func evict(untilCost cost: Int, count limit: Int, into evicted: inout EvictedEntries<Entry>) {
        while totalCost > cost || count > limit {
            let oldest = links[0].newer
            guard oldest != 0 else { return }
            counters.evictions &+= 1
            evicted.add(takeEntry(at: slots.slot(of: oldest, links[Int(oldest)].hash)))
        }
    }

    @inlinable
    mutating func add(_ entry: consuming Entry, _ hash: UInt32) {
        count += 1
        totalCost += entry.cost
        let index = emptyIndex()
        (entries + Int(index)).initialize(to: entry)
        links[Int(index)].hash = hash
        linkNewest(index)
        slots.fill(index, hash)
    }

    @inlinable
    mutating func takeEntry(at slot: Int) -> Entry {
        let index = slots[slot].index
        slots.vacate(slot)
        unlink(index)
        links[Int(index)].newer = firstEmpty
        firstEmpty = index
        let entry = (entries + Int(index)).move()
        count -= 1
        totalCost -= entry.cost
        return entry
    }

    @inlinable
    mutating func emptyIndex() -> Int32 {
        if firstEmpty != 0 {
            let index = firstEmpty
            firstEmpty = links[Int(index)].newer
            return index
        }
        if usedCount == capacity { grow() }
        let index = Int32(usedCount)
        (links + usedCount).initialize(to: Link())
        usedCount += 1
        return index
    }

    @usableFromInline
    mutating func grow() {
        let (oldLinks, oldEntries) = (links, entries)
        links = .allocate(capacity: capacity * 2)
        links.moveInitialize(from: oldLinks, count: capacity)
        entries = .allocate(capacity: capacity * 2)
        (entries + 1).moveInitialize(from: oldEntries + 1, count: capacity - 1)
        oldLinks.deallocate()
        oldEntries.deallocate()
        capacity *= 2
        slots.grow(entryCapacity: capacity)
    }

    @inlinable
    func slot(of key: Key, _ hash: UInt32) -> Int? {
        var slot = slots.home(of: hash)
        while true {
            let candidate = slots[slot]
            if candidate.index == 0 { return nil }
            if candidate.hash == hash, entries[Int(candidate.index)].key == key { return slot }
            slot = slots.next(slot)
        }
    }

    @inlinable
    mutating func unlink(_ index: Int32) {
        let link = links[Int(index)]
        links[Int(link.older)].newer = link.newer
        links[Int(link.newer)].older = link.older
    }

    @inlinable
    mutating func linkNewest(_ index: Int32) {
        let newest = links[0].older
        links[Int(index)].older = newest
        links[Int(index)].newer = 0
        links[Int(newest)].newer = index
        links[0].older = index
    }
}

/// Evicted entries; one needs no allocation.
@usableFromInline
struct EvictedEntries<Entry: Sendable>: Sendable {
    @usableFromInline var first: Entry?
    @usableFromInline var others: [Entry] = []

    @inlinable init() {}

    @inlinable mutating func add(_ entry: Entry) { if first == nil { first = entry } else { others.append(entry) } }
}
