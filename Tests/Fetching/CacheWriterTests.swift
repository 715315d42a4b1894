import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("CachingTransport: pending writes", .timeLimit(.minutes(10)))
struct CacheWriterTests {
    private static let fresh = [("Cache-Control", "max-age=300")]

    private let gate = Gate()
    private let store: MemoryStore
    private let clock = ManualClock()

    init() { store = MemoryStore(gate: gate) }

    private func cache(_ base: ScriptedTransport) -> CachingTransport {
        CachingTransport(base, store: store, clock: clock, now: { .start })
    }

    /// Responds with fresh bodies of a size that depends on the number of requests before.
    private func bodies(_ size: @escaping @Sendable (Int) -> Int) -> ScriptedTransport {
        ScriptedTransport { request, before in
            FetchResponse(
                address: request.address, status: 200, headers: HeaderFields(pairs: Self.fresh),
                body: [UInt8](repeating: 7, count: size(before)))
        }
    }

    private func fetch(_ name: String, from cache: CachingTransport) -> Task<FetchResponse, any Error> {
        Task { try await cache.fetch(FetchRequest(.picture(name))) }
    }

    private func names(_ base: ScriptedTransport) -> String {
        base.requests.map { $0.address.path.dropFirst().prefix(1) }.joined()
    }

    @Test("Responses do not wait for the disk; pending ones are served")
    func behind() async throws {
        let base = ScriptedTransport { request, before in
            try ScriptedOutcome.text("\(before)", Self.fresh).play(for: request)
        }
        let cache = cache(base)
        for name in ["a", "b", "c"] { _ = try await fetch(name, from: cache).value }
        #expect(try await fetch("c", from: cache).value.text == "2")
        #expect(base.count == 3 && store.keys.isEmpty)
        gate.open()
        await cache.flush()
        #expect(store.keys.count == 3)
    }

    @Test("The last change of a key wins")
    func lastWins() async throws {
        let base = ScriptedTransport(
            .text("0", Self.fresh), .text("1", Self.fresh), .text("2", [("Cache-Control", "no-store")]))
        let cache = cache(base)
        var request = FetchRequest(.moon)
        request.revalidates = true
        for _ in 0..<3 { _ = try await cache.fetch(request) }
        gate.open()
        await cache.flush()
        #expect(store.keys.isEmpty)
    }

    @Test("Pending writes are limited, and a dropped one removes older ones")
    func bounded() async throws {
        // Four fill the queue with their header fields, and two leave no space.
        let size = CacheWriter.maxBytes / 4 - 1000
        let cache = cache(bodies { [0: size + 2000, 4: 2 * size][$0] ?? size })
        for name in ["a", "b"] { _ = try await fetch(name, from: cache).value }
        // The third waits until the disk counts as stalled.
        let third = fetch("c", from: cache)
        await clock.waitForSleepers()
        clock.advance(by: CacheWriter.patience)
        _ = try await third.value
        var again = FetchRequest(.picture("b"))
        again.revalidates = true
        _ = try await fetch("d", from: cache).value
        _ = try await cache.fetch(again)
        for name in ["e", "f"] { _ = try await fetch(name, from: cache).value }
        gate.open()
        await cache.flush()
        #expect(store.keys.map { $0.dropLast(4).suffix(1) } == ["a", "c", "d", "e"])
    }

    /// A cache with more pending than fetches may ignore.
    private func filled() async throws -> (CachingTransport, ScriptedTransport) {
        let base = bodies { _ in CacheWriter.backpressureBytes * 5 / 8 }
        let cache = cache(base)
        for name in ["a", "b"] { _ = try await fetch(name, from: cache).value }
        return (cache, base)
    }

    @Test("Many pending writes delay fetches, but not cached responses; cancellation ends a wait")
    func heldBack() async throws {
        let (cache, base) = try await filled()
        let (left, held) = (fetch("c", from: cache), fetch("d", from: cache))
        await clock.waitForSleepers(2)
        #expect(try await fetch("b", from: cache).value.freshness == .fresh)
        left.cancel()
        await #expect(throws: CancellationError.self) { try await left.value }
        #expect(names(base) == "ab")
        gate.open()
        await cache.flush()
        clock.advance(by: .milliseconds(10))
        #expect(try await held.value.status == 200)
        // The clock does not move for this one.
        _ = try await fetch("e", from: cache).value
        await cache.flush()
        #expect(names(base) == "abde" && store.keys.count == 4)
    }

    @Test("A stalled disk delays fetches for two seconds, once")
    func standsStill() async throws {
        let (cache, base) = try await filled()
        let held = [fetch("c", from: cache), fetch("d", from: cache)]
        await clock.waitForSleepers(2)
        clock.advance(by: CacheWriter.patience - .milliseconds(1))
        await clock.waitForSleepers(2)
        #expect(names(base) == "ab")
        clock.advance(by: .milliseconds(1))
        for task in held { _ = try await task.value }
        // The clock does not move for this one.
        _ = try await fetch("e", from: cache).value
        gate.open()
        await cache.flush()
        #expect(store.keys.count == 3, "what did not fit is not stored")
    }

    @Test("One response of any size can be pending")
    func large() async throws {
        let cache = cache(bodies { _ in 3 * CacheWriter.maxBytes })
        gate.open()
        _ = try await fetch("a", from: cache).value
        await cache.flush()
        #expect(store.keys.count == 1)
    }
}
