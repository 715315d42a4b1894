/// Changes a `StripedTable`, and evicts its least recently used entry first.
///
/// Evicted entries are returned, not released: the caller holds a lock. Stripes that a call changes stay locked until it returns, so that
/// look-ups see all of its changes or none.
@usableFromInline
struct LRUTable<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    @usableFromInline typealias Storage = EntryStorage<Key, Value>
    @usableFromInline typealias Evicted = EvictedEntries<Storage.Entry>

    @usableFromInline let costLimit: Int
    @usableFromInline let countLimit: Int
    @usableFromInline let table = StripedTable<Key, Value>()
    /// Without hits and misses, which the stripes count.
    @usableFromInline var counters = MemoryCacheCounters()
    @usableFromInline var count = 0
    @usableFromInline var totalCost = 0
    /// Places below it have had entries; the empty ones of these form a list.
    @usableFromInline var usedCount = 1
    @usableFromInline var firstEmpty: Int32 = 0
    @usableFromInline var order = UseOrder(capacity: StripedTable<Key, Value>.minCapacity)
    /// A bit for each stripe that the current call has locked.
    @usableFromInline var lockedStripes: UInt64 = 0

    @usableFromInline
    init(costLimit: Int, countLimit: Int) {
        self.costLimit = costLimit
        // The range of 32 bits, with twice as many buckets.
        self.countLimit = min(countLimit, 1 << 30)
    }

    deinit {
        table.deallocate()
        order.deallocate()
    }

    /// Doubling leaves up to half of the places free.
    static var bytesPerEntry: Int { 2 * (Storage.bytesPerPlace + MemoryLayout<UseOrder.Listing>.stride) }

    /// Its cost is within the limit, and the count limit is not zero.
    @inlinable
    mutating func insert(_ key: Key, _ hash: UInt32, _ value: Value, _ cost: Int) -> Evicted {
        counters.insertions &+= 1
        var evicted = Evicted()
        if let entry = take(key, hash) { evicted.add(entry) }
        evict(untilCost: costLimit - cost, count: countLimit - 1, into: &evicted)
        add(Storage.Entry(key: key, value: value, cost: cost), hash)
        unlockStripes()
        return evicted
    }

    @inlinable
    mutating func refuse(_ key: Key, _ hash: UInt32) -> Storage.Entry? {
        counters.rejections &+= 1
        return remove(key, hash)
    }

    @inlinable
    mutating func remove(_ key: Key, _ hash: UInt32) -> Storage.Entry? {
        let entry = take(key, hash)
        unlockStripes()
        return entry
    }

    @usableFromInline
    mutating func trim(toCost cost: Int, count: Int) -> Evicted {
        var evicted = Evicted()
        evict(untilCost: cost, count: count, into: &evicted)
        unlockStripes()
        return evicted
    }

    /// Returns all entries; the counters stay.
    @usableFromInline
    mutating func removeAll() -> Storage {
        lockAllStripes()
        var storage = Storage(capacity: StripedTable<Key, Value>.minCapacity)
        swap(&table.storage.pointee, &storage)
        unlockStripes()
        order.deallocate()
        order = UseOrder(capacity: StripedTable<Key, Value>.minCapacity)
        (count, totalCost, usedCount, firstEmpty) = (0, 0, 1, 0)
        return storage
    }

    @inlinable
    mutating func evict(untilCost cost: Int, count limit: Int, into evicted: inout Evicted) {
        while totalCost > cost || count > limit, let oldest = order.oldest(table.storage.pointee.places) {
            let index = Int(oldest.index)
            let place = table.storage.pointee.places + index
            guard place.pointee.lastUse == oldest.time else {
                order.correctOldest(place)
                continue
            }
            let isFirst = lock(place.pointee.hash)
            // Unless it was used just now.
            guard place.pointee.lastUse == oldest.time else {
                if isFirst { unlock(place.pointee.hash) }
                continue
            }
            counters.evictions &+= 1
            evicted.add(takeEntry(at: index))
            order.correctOldest(place)
        }
    }

    /// Locks the key's stripe, too.
    @inlinable
    mutating func take(_ key: Key, _ hash: UInt32) -> Storage.Entry? {
        lock(hash)
        let index = table.storage.pointee.index(of: key, hash)
        return index == 0 ? nil : takeEntry(at: index)
    }

    /// The place stays in the order of use.
    @inlinable
    mutating func takeEntry(at index: Int) -> Storage.Entry {
        let place = table.storage.pointee.places + index
        table.storage.pointee.unlink(index)
        place.pointee.setLastUse(.max)
        place.pointee.next = firstEmpty
        firstEmpty = Int32(index)
        let entry = (table.storage.pointee.entries + index).move()
        count -= 1
        totalCost -= entry.cost
        return entry
    }

    /// The stripe is locked.
    @inlinable
    mutating func add(_ entry: consuming Storage.Entry, _ hash: UInt32) {
        count += 1
        totalCost += entry.cost
        let index = emptyIndex()
        (table.storage.pointee.entries + index).initialize(to: entry)
        let place = table.storage.pointee.places + index
        let isListed = place.pointee.lastUse == .max
        let time = table.clock.pointee.next()
        place.pointee.setLastUse(time)
        place.pointee.hash = hash
        table.storage.pointee.link(index)
        if !isListed { order.append(index, at: time) }
    }

    @inlinable
    mutating func emptyIndex() -> Int {
        if firstEmpty != 0 {
            let index = Int(firstEmpty)
            firstEmpty = table.storage.pointee.places[index].next
            return index
        }
        if usedCount == table.storage.pointee.capacity {
            lockAllStripes()
            table.storage.pointee.grow()
            order.grow()
        }
        usedCount += 1
        return usedCount - 1
    }

    // MARK: Locks

    /// Returns whether the stripe was not locked by this call before.
    @inlinable @discardableResult
    mutating func lock(_ hash: UInt32) -> Bool {
        let stripe = StripedTable<Key, Value>.stripe(of: hash)
        guard lockedStripes & 1 << stripe == 0 else { return false }
        table.stripes[stripe].lock()
        lockedStripes |= 1 << stripe
        return true
    }

    @inlinable
    mutating func unlock(_ hash: UInt32) {
        let stripe = StripedTable<Key, Value>.stripe(of: hash)
        lockedStripes &= ~(1 << stripe)
        table.stripes[stripe].unlock()
    }

    @usableFromInline
    mutating func lockAllStripes() {
        for stripe in 0..<StripedTable<Key, Value>.stripeCount { lock(UInt32(stripe)) }
    }

    @inlinable
    mutating func unlockStripes() {
        while lockedStripes != 0 {
            table.stripes[lockedStripes.trailingZeroBitCount].unlock()
            lockedStripes &= lockedStripes - 1
        }
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
