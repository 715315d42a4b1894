internal import Glibc
public import Synchronization

/// The lock of some buckets, and what happened there.
///
/// It fills a cache line, so that threads in different stripes do not disturb each other. It is held while a key is compared, or during
/// a change: waiting threads spin, and yield after a while.
@usableFromInline
struct Stripe: ~Copyable {
    @usableFromInline let isLocked = Atomic(false)
    @usableFromInline let hits = Atomic(0)
    @usableFromInline let misses = Atomic(0)
    private let padding: (Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0)

    init() {}

    /// Under the lock.
    @inlinable
    func countHit() { hits.store(hits.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

    /// Under the lock.
    @inlinable
    func countMiss() { misses.store(misses.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

    @inlinable
    func lock() {
        if isLocked.exchange(true, ordering: .acquiring) { wait() }
    }

    @inlinable
    func unlock() { isLocked.store(false, ordering: .releasing) }

    /// How often a thread looks at the lock before it yields: about 1 µs.
    private static var maxSpins: Int { 256 }

    @usableFromInline
    func wait() {
        var spins = 0
        repeat {
            while isLocked.load(ordering: .relaxed) {
                spins += 1
                if spins > Self.maxSpins { sched_yield() }
            }
        } while isLocked.exchange(true, ordering: .acquiring)
    }
}

/// Counts uses; no two have the same time.
@usableFromInline
struct UseClock: ~Copyable {
    @usableFromInline let time = Atomic<UInt64>(0)

    init() {}

    @inlinable
    func next() -> UInt64 { time.add(1, ordering: .relaxed).newValue }
}
