/// From a key's hash to its entry's index, by linear probing; at least half of the slots are empty.
///
/// The owner frees the memory.
@usableFromInline
struct HashIndex {
    /// Repeats the hash, so that a search rarely touches a wrong entry; index 0 marks an empty slot.
    @usableFromInline
    struct Slot {
        @usableFromInline let hash: UInt32
        @usableFromInline let index: Int32

        @inlinable init(hash: UInt32, index: Int32) {
            self.hash = hash
            self.index = index
        }

        @inlinable static var empty: Slot { Slot(hash: 0, index: 0) }
    }

    @usableFromInline var slots: UnsafeMutablePointer<Slot>
    /// A power of two minus one.
    @usableFromInline var mask: Int

    /// - Parameter entryCapacity: maximum number of entries, a power of two.
    init(entryCapacity: Int) {
        slots = .allocate(capacity: entryCapacity * 2)
        slots.initialize(repeating: .empty, count: entryCapacity * 2)
        mask = entryCapacity * 2 - 1
    }

    func deallocate() { slots.deallocate() }

    mutating func grow(entryCapacity: Int) {
        let old = self
        self = HashIndex(entryCapacity: entryCapacity)
        for slot in 0...old.mask where old[slot].index != 0 { fill(old[slot].index, old[slot].hash) }
        old.deallocate()
    }

    @inlinable subscript(slot: Int) -> Slot { slots[slot] }

    @inlinable func home(of hash: UInt32) -> Int { Int(hash) & mask }
    @inlinable func next(_ slot: Int) -> Int { (slot &+ 1) & mask }

    @inlinable
    func slot(of index: Int32, _ hash: UInt32) -> Int {
        var slot = home(of: hash)
        while slots[slot].index != index { slot = next(slot) }
        return slot
    }

    @inlinable
    mutating func fill(_ index: Int32, _ hash: UInt32) {
        var slot = home(of: hash)
        while slots[slot].index != 0 { slot = next(slot) }
        slots[slot] = Slot(hash: hash, index: index)
    }

    /// Empties a slot and moves its followers up, so that no search stops too early.
    @inlinable
    mutating func vacate(_ slot: Int) {
        var hole = slot
        var behind = next(hole)
        while slots[behind].index != 0 {
            let home = home(of: slots[behind].hash)
            // It may move unless its search begins after the gap.
            if (behind &- home) & mask >= (behind &- hole) & mask {
                slots[hole] = slots[behind]
                hole = behind
            }
            behind = next(behind)
        }
        slots[hole] = .empty
    }
}
