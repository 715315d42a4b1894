/// Hash table of a `LRUTable`: from a key's hash to its entry's place, by open addressing with linear probing.
///
/// Slots repeat the hash, so that a search rarely touches a wrong entry; at least half are empty. The owner frees the memory.
@usableFromInline
struct HashIndex {
    /// Place 0 is empty.
    @usableFromInline
    struct Slot {
        @usableFromInline let hash: UInt32
        @usableFromInline let place: Int32

        @inlinable init(hash: UInt32, place: Int32) {
            self.hash = hash
            self.place = place
        }

        @inlinable static var empty: Slot { Slot(hash: 0, place: 0) }
    }

    @usableFromInline var slots: UnsafeMutablePointer<Slot>
    /// A power of two minus one.
    @usableFromInline var mask: Int

    /// - Parameter placeCapacity: maximum places, a power of two.
    init(placeCapacity: Int) {
        slots = .allocate(capacity: placeCapacity * 2)
        slots.initialize(repeating: .empty, count: placeCapacity * 2)
        mask = placeCapacity * 2 - 1
    }

    func deallocate() { slots.deallocate() }

    mutating func grow(placeCapacity: Int) {
        let old = self
        self = HashIndex(placeCapacity: placeCapacity)
        for slot in 0...old.mask where old[slot].place != 0 { fill(old[slot].place, old[slot].hash) }
        old.deallocate()
    }

    @inlinable subscript(slot: Int) -> Slot { slots[slot] }

    @inlinable
    func home(of hash: UInt32) -> Int { Int(hash) & mask }

    @inlinable
    func next(_ slot: Int) -> Int { (slot &+ 1) & mask }

    @inlinable
    func slot(of place: Int32, _ hash: UInt32) -> Int {
        var slot = home(of: hash)
        while slots[slot].place != place { slot = next(slot) }
        return slot
    }

    @inlinable
    mutating func fill(_ place: Int32, _ hash: UInt32) {
        var slot = home(of: hash)
        while slots[slot].place != 0 { slot = next(slot) }
        slots[slot] = Slot(hash: hash, place: place)
    }

    /// Empties a slot and moves its followers up, so that no search stops too early.
    @inlinable
    mutating func vacate(_ slot: Int) {
        var hole = slot
        var behind = next(hole)
        while slots[behind].place != 0 {
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
