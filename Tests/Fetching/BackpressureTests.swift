import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("CachingTransport: backpressure", .timeLimit(.minutes(10)))
struct BackpressureTests {
    /// A store that lets one write through after another.
    private final class SteppedStore: ByteStore {
        let memory = MemoryStore()
        private let gates: [Gate]
        private let begun = Mutex(0)

        init(gates: [Gate]) { self.gates = gates }

        func entry(for key: String) -> CacheEntry? { memory.entry(for: key) }

        func store(_ entry: CacheEntry, for key: String) -> Bool {
            let number = begun.withLock { count in
                count += 1
                return count - 1
            }
            gates[min(number, gates.count - 1)].wait()
            return memory.store(entry, for: key)
        }

        func remove(_ key: String) { memory.remove(key) }
    }

    private let clock = ManualClock()
    private let gates = (0..<6).map { _ in Gate() }
    /// Responses of which two exceed the backpressure limit.
    private let base = ScriptedTransport { request, _ in
        FetchResponse(
            address: request.address, status: 200, headers: HeaderFields(pairs: [("Cache-Control", "max-age=300")]),
            body: [UInt8](repeating: 7, count: CacheWriter.backpressureBytes * 5 / 8))
    }

    private func cache(_ store: some ByteStore) -> CachingTransport {
        CachingTransport(base, store: store, clock: clock, now: { .start })
    }

    private func fill(_ cache: CachingTransport) async throws {
        for name in ["a", "b"] { _ = try await cache.fetch(FetchRequest(.picture(name))) }
    }

    private func fetch(
        _ name: String, from cache: CachingTransport, _ priority: FetchPriority = .visible
    ) -> Task<FetchResponse, any Error> {
        Task { try await cache.fetch(FetchRequest(.picture(name), priority: priority)) }
    }

    private func waitForQueued(_ count: Int, by cache: CachingTransport) async throws {
        try await waitUntil { cache.writer.waitingCount == count }
    }

    private func openGates() { for gate in gates { gate.open() } }

    private var requested: [String] { base.requests.map { String($0.address.path.dropFirst().dropLast(4)) } }

    @Test("Many pending writes delay fetches, but not cached responses")
    func heldBack() async throws {
        let store = SteppedStore(gates: gates)
        let cache = cache(store)
        try await fill(cache)
        let held = fetch("c", from: cache)
        try await waitForQueued(1, by: cache)
        #expect(try await cache.fetch(FetchRequest(.picture("b"))).freshness == .fresh)
        #expect(requested == ["a", "b"])
        openGates()
        #expect(try await held.value.status == 200)
        await cache.flush()
        #expect(store.memory.keys.count == 3)
        _ = try await cache.fetch(FetchRequest(.picture("d")))
        #expect(requested == ["a", "b", "c", "d"])
        await cache.flush()
    }

    @Test("Cancellation ends a wait, and the others keep their turns")
    func cancelled() async throws {
        let cache = cache(SteppedStore(gates: gates))
        try await fill(cache)
        let (first, second) = (fetch("c", from: cache), fetch("d", from: cache))
        try await waitForQueued(2, by: cache)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let third = fetch("e", from: cache)
        third.cancel()
        await #expect(throws: CancellationError.self) { try await third.value }
        openGates()
        #expect(try await second.value.status == 200)
        #expect(requested == ["a", "b", "d"])
        await cache.flush()
    }

    @Test("A stalled disk delays fetches for two seconds, once")
    func standsStill() async throws {
        let store = SteppedStore(gates: gates)
        let cache = cache(store)
        try await fill(cache)
        let held = [fetch("c", from: cache), fetch("d", from: cache)]
        try await waitForQueued(2, by: cache)
        await clock.waitForSleepers()
        clock.advance(by: CacheWriter.patience - .milliseconds(1))
        #expect(cache.writer.waitingCount == 2)
        clock.advance(by: .milliseconds(1))
        for task in held { #expect(try await task.value.status == 200) }
        // The clock does not move for this one.
        #expect(try await fetch("e", from: cache).value.status == 200)
        #expect(cache.writer.pendingBytes <= CacheWriter.maxBytes)
        openGates()
        await cache.flush()
        #expect(store.memory.keys.count == 3)
    }

    @Test("One response of any size can be pending")
    func large() async throws {
        let store = MemoryStore()
        let base = ScriptedTransport { request, _ in
            FetchResponse(
                address: request.address, status: 200, headers: HeaderFields(pairs: [("Cache-Control", "max-age=300")]),
                body: [UInt8](repeating: 7, count: 3 * CacheWriter.maxBytes))
        }
        let cache = CachingTransport(base, store: store, clock: clock, now: { .start })
        _ = try await cache.fetch(FetchRequest(.moon))
        await cache.flush()
        #expect(store.keys.count == 1)
    }
}

extension CacheWriter {
    fileprivate var waitingCount: Int { queue.withLock { $0.policy.waiting.count } }
    fileprivate var pendingBytes: Int { queue.withLock(\.byteCount) }
}
