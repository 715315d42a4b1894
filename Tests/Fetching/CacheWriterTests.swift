import Glibc
import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("CachingTransport: pending writes", .timeLimit(.minutes(10)))
struct CacheWriterTests {
    private static let fresh = [("Cache-Control", "max-age=300")]

    /// A store whose writes stall until the gate opens.
    private final class SlowStore: ByteStore {
        let gate = Gate()
        let memory = MemoryStore()
        private let recorder = CallRecorder<String>()
        var writes: [String] { recorder.values }

        func entry(for key: String) -> CacheEntry? { memory.entry(for: key) }

        func store(_ entry: CacheEntry, for key: String) -> Bool {
            gate.wait()
            recorder.record(String(decoding: entry.body.prefix(9), as: UTF8.self))
            return memory.store(entry, for: key)
        }

        func remove(_ key: String) {
            gate.wait()
            recorder.record("-")
            memory.remove(key)
        }
    }

    @Test("Responses do not wait for the disk; pending ones are served")
    func behind() async throws {
        let store = SlowStore()
        let base = ScriptedTransport { request, before in
            try ScriptedOutcome.text("\(before)", Self.fresh).play(for: request)
        }
        let cache = CachingTransport(base, store: store, now: { .start })
        for name in ["a", "b", "c"] { _ = try await cache.fetch(FetchRequest(.picture(name))) }
        #expect(try await cache.fetch(FetchRequest(.picture("c"))).body == Array("2".utf8))
        #expect(base.count == 3)
        #expect(store.memory.keys.isEmpty)
        store.gate.open()
        await cache.flush()
        #expect(store.memory.keys.count == 3)
        #expect(store.writes == ["0", "1", "2"])
    }

    @Test("The last change of a key wins")
    func lastWins() async throws {
        let store = SlowStore()
        let base = ScriptedTransport(
            .text("0", Self.fresh), .text("1", Self.fresh), .text("2", [("Cache-Control", "no-store")]),
            .text("3", Self.fresh))
        let cache = CachingTransport(base, store: store, now: { .start })
        var request = FetchRequest(.moon)
        request.revalidates = true
        for _ in 0..<3 { _ = try await cache.fetch(request) }
        #expect(try await CachingTransport(base, store: store.memory, now: { .start }).fetch(request).body == [51])
        store.gate.open()
        await cache.flush()
        #expect(store.writes.last == "-")
        #expect(!store.writes.contains("1"))
    }

    @Test("Pending writes are limited, and a dropped one removes older ones")
    func bounded() async throws {
        let store = SlowStore()
        // Four fill the queue with their header fields, and two leave no space.
        let size = CacheWriter.maxBytes / 4 - 1000
        let base = ScriptedTransport { request, before in
            FetchResponse(
                address: request.address, status: 200, headers: HeaderFields(pairs: Self.fresh),
                body: [UInt8](repeating: 7, count: [0: size + 2000, 4: 2 * size][before] ?? size))
        }
        let clock = ManualClock()
        let cache = CachingTransport(base, store: store, clock: clock, now: { .start })
        for name in ["a", "b"] { _ = try await cache.fetch(FetchRequest(.picture(name))) }
        // The third waits until the disk counts as stalled.
        let third = Task { try await cache.fetch(FetchRequest(.picture("c"))) }
        await clock.waitForSleepers()
        clock.advance(by: CacheWriter.patience)
        _ = try await third.value
        var again = FetchRequest(.picture("b"))
        again.revalidates = true
        _ = try await cache.fetch(FetchRequest(.picture("d")))
        _ = try await cache.fetch(again)
        _ = try await cache.fetch(FetchRequest(.picture("e")))
        _ = try await cache.fetch(FetchRequest(.picture("f")))
        store.gate.open()
        await cache.flush()
        let names = store.memory.keys.map { $0.dropLast(4).suffix(1) }
        #expect(names == ["a", "c", "d", "e"])
    }
}
