import SpyglassTestSupport
import Testing

@testable import SpyglassThreads

@Suite("WriteBehindQueue", .timeLimit(.minutes(10)))
struct WriteBehindQueueTests {
    typealias Queue = WriteBehindQueue<String, String, Void>

    private let written = CallRecorder<String>()
    private let gate = Gate()
    private let started = AsyncGate()

    /// A queue whose first write, of "first" under the key "a", has started and waits for the gate.
    private func busyQueue(
        writesPerTurn: Int = 1, didWrite: @escaping @Sendable (Queue) -> Void = { _ in }
    ) async throws -> Queue {
        let queue = Queue((), on: ThreadPool(count: 1), writesPerTurn: writesPerTurn, didWrite: didWrite) {
            [written, gate, started] value, _ in
            if value == "first" {
                started.open()
                gate.wait()
            }
            written.record(value)
        }
        queue.withLock { $0.put("first", for: "a", byteCount: 10) }
        try await started.wait()
        return queue
    }

    @Test("Values are written in order, for any number of writes a turn", arguments: [1, 3])
    func order(writesPerTurn: Int) async throws {
        let queue = try await busyQueue(writesPerTurn: writesPerTurn)
        for value in ["b", "c", "d"] { queue.withLock { $0.put(value, byteCount: 1) } }
        #expect(queue.withLock { [$0.count, $0.byteCount] } == [4, 13])
        gate.open()
        await queue.flush()
        #expect(written.values == ["first", "b", "c", "d"])
        #expect(queue.withLock { [$0.count, $0.byteCount] } == [0, 0])
    }

    @Test("A value put while its key is being written is written afterwards")
    func putDuringWrite() async throws {
        let queue = try await busyQueue()
        #expect(queue.withLock { $0.value(for: "a") } == "first")
        queue.withLock { $0.put("second", for: "a", byteCount: 7) }
        #expect(queue.withLock { $0.value(for: "a") == "second" && $0.byteCount == 17 })
        gate.open()
        await queue.flush()
        #expect(written.values == ["first", "second"])
        #expect(queue.withLock { $0.value(for: "a") } == nil)
    }

    @Test("removeQueued keeps the value that is being written")
    func removal() async throws {
        let queue = try await busyQueue()
        queue.withLock { $0.put("b", for: "b", byteCount: 1) }
        queue.withLock { $0.removeQueued() }
        #expect(queue.withLock { $0.count == 1 && $0.byteCount == 10 && $0.value(for: "b") == nil })
        queue.withLock { $0.put("c", for: "b", byteCount: 1) }
        gate.open()
        await queue.flush()
        #expect(written.values == ["first", "c"])
        #expect(queue.withLock { $0.byteCount } == 0)
    }

    @Test("flush waits for values put by didWrite, and returns when idle")
    func flush() async throws {
        let queue = try await busyQueue(didWrite: { [written] queue in
            if written.values == ["first"] { queue.withLock { $0.put("from didWrite") } }
        })
        gate.open()
        await queue.flush()
        #expect(written.values == ["first", "from didWrite"])
        await queue.flush()
    }
}
