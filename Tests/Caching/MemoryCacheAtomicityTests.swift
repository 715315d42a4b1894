import Glibc
import SpyglassCaching
import SpyglassThreads
import Synchronization
import Testing

@Suite("MemoryCache: atomicity")
struct MemoryCacheAtomicityTests {
    @Test("A key whose value is replaced is never missing")
    func replacement() async throws {
        let cache = Self.cache()
        cache.insert(0, for: 1)
        let misses = try await Self.count(
            during: { for round in 1...300_000 { cache.insert(round, for: 1) } },
            each: { cache.peek(1) == nil })
        #expect(misses == 0)
    }

    @Test("Entries that one call evicts go at the same time")
    func eviction() async throws {
        let cache = Self.cache()
        let remains = try await Self.count(
            during: {
                for round in 1...2_000 {
                    for key in 1...100 { cache.insert(round, for: key) }
                    cache.trim(toCount: 0)
                }
            },
            each: {
                guard let round = cache.peek(1) else { return false }
                while cache.peek(1) == round {}
                return cache.peek(100) == round
            })
        #expect(remains == 0)
    }

    private static func cache() -> MemoryCache<Int, Int> { MemoryCache(totalCostLimit: .max) { _ in 0 } }

    /// Runs `check` over and over while `changes` runs, and counts how often it is true.
    private static func count(
        during changes: @escaping @Sendable () -> Void, each check: @escaping @Sendable () -> Bool
    ) async throws -> Int {
        let threads = ThreadPool(count: 2)
        let flags = Flags()
        async let count = threads.run { _ in
            flags.isChecking.store(true, ordering: .releasing)
            var count = 0
            while !flags.isDone.load(ordering: .acquiring) {
                if check() { count += 1 }
            }
            return count
        }
        try await threads.run { _ in
            while !flags.isChecking.load(ordering: .acquiring) { sched_yield() }
            changes()
            flags.isDone.store(true, ordering: .releasing)
        }
        return try await count
    }
}

private final class Flags: Sendable {
    let isChecking = Atomic(false)
    let isDone = Atomic(false)
}
