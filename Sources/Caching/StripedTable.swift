internal import Synchronization

/// Entries by their keys' hashes, for look-ups on several threads.
///
/// Each bucket belongs to one of 64 stripes, which have a lock each. A hit locks one stripe and stores the time in the entry's place,
/// so that threads share the clock and nothing else. `LRUTable` makes all changes, one at a time: it keeps each stripe that it changes
/// locked until the whole change is done, and for another `storage` it locks all of them.
///
/// `@unchecked Sendable`: entries are accessed under their stripe's lock. The owner frees the memory.
@usableFromInline
struct StripedTable<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    @usableFromInline let stripes: UnsafeMutablePointer<Stripe>
    @usableFromInline let clock: UnsafeMutablePointer<UseClock>
    @usableFromInline let storage: UnsafeMutablePointer<EntryStorage<Key, Value>>

    /// As many as a `UInt64` has bits: `LRUTable` notes in one which it has locked.
    @inlinable static var stripeCount: Int { UInt64.bitWidth }

    init() {
        let line = MemoryLayout<Stripe>.stride
        let lines = UnsafeMutableRawPointer.allocate(byteCount: (Self.stripeCount + 1) * line, alignment: line)
        stripes = lines.bindMemory(to: Stripe.self, capacity: Self.stripeCount)
        for stripe in 0..<Self.stripeCount { (stripes + stripe).initialize(to: Stripe()) }
        clock = (lines + Self.stripeCount * line).bindMemory(to: UseClock.self, capacity: 1)
        clock.initialize(to: UseClock())
        storage = .allocate(capacity: 1)
        storage.initialize(to: EntryStorage(capacity: Self.minCapacity))
    }

    /// With two buckets for a place, each stripe has a bucket.
    static var minCapacity: Int { stripeCount / 2 }

    func deallocate() {
        storage.deinitialize(count: 1)
        storage.deallocate()
        UnsafeMutableRawPointer(stripes).deallocate()
    }

    /// Computed without a lock; the multiplier, 2^64 over the golden ratio (Knuth, TAOCP 6.4), spreads close `hashValue`s.
    @inlinable
    static func hash(of key: Key) -> UInt32 {
        UInt32(truncatingIfNeeded: (UInt64(UInt(bitPattern: key.hashValue)) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    @inlinable
    static func stripe(of hash: UInt32) -> Int { Int(hash) & (stripeCount - 1) }

    @inlinable
    func use(_ key: Key, _ hash: UInt32) -> Value? {
        // Before locking, which keeps the lock short. An eviction in between takes this entry, or only such as are older anyway.
        let time = clock.pointee.next()
        let stripe = stripes + Self.stripe(of: hash)
        stripe.pointee.lock()
        defer { stripe.pointee.unlock() }
        let index = storage.pointee.index(of: key, hash)
        guard index != 0 else {
            stripe.pointee.countMiss()
            return nil
        }
        stripe.pointee.countHit()
        let place = storage.pointee.places + index
        if place.pointee.lastUse < time { place.pointee.setLastUse(time) }
        return storage.pointee.entries[index].value
    }

    /// Does not count as a use.
    func value(of key: Key, _ hash: UInt32) -> Value? {
        let stripe = stripes + Self.stripe(of: hash)
        stripe.pointee.lock()
        defer { stripe.pointee.unlock() }
        let index = storage.pointee.index(of: key, hash)
        return index == 0 ? nil : storage.pointee.entries[index].value
    }

    /// Adds the stripes' events to `counters`.
    func count(into counters: inout MemoryCacheCounters) {
        for stripe in 0..<Self.stripeCount {
            counters.hits &+= stripes[stripe].hits.load(ordering: .relaxed)
            counters.misses &+= stripes[stripe].misses.load(ordering: .relaxed)
        }
    }
}
