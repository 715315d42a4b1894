import SpyglassTestSupport
import Testing

@testable import SpyglassThreads

@Suite("WorkMemory", .timeLimit(.minutes(10)))
struct WorkMemoryTests {
    private let memory = WorkMemory(limit: 100)
    private let told = CallRecorder<String>()

    private func body(_ name: String = "") -> WorkMemory.Body { memory.body { [told] in told.record(name) } }

    @Test("Memory is released with its last reference")
    func release() throws {
        var share: WorkMemory.Share? = try memory.reserve(60)
        #expect(memory.used == 60)
        withExtendedLifetime(share) {}
        share = nil
        #expect(memory.used == 0)
        var body: WorkMemory.Body? = body()
        #expect(try body?.grow(to: 30, expected: 30) == true)
        body?.end(isComplete: true)
        #expect(memory.used == 30)
        body = nil
        #expect(memory.used == 0)
    }

    @Test("What needs more than the whole budget is refused, with both numbers")
    func tooMuch() throws {
        let refusal = WorkMemory.Refusal.exceedsLimit(needed: 101, limit: 100)
        #expect(throws: refusal) { try memory.reserve(101) }
        let body = body()
        #expect(throws: refusal) { try body.grow(to: 101, expected: 101) }
        let unlimited = WorkMemory(limit: .max)
        // More than the system has.
        #expect(throws: WorkMemory.Refusal.unavailable(needed: 1 << 62)) { try unlimited.reserve(1 << 62) }
        #expect([memory.used, unlimited.used] == [0, 0])
    }

    @Test("A decode waits for others, in order, and not for bodies")
    func decodes() async throws {
        let body = body()
        #expect(try body.grow(to: 100, expected: 100))
        var first: WorkMemory.Share? = try memory.reserve(50)
        #expect(memory.used == 150)
        let threads = ThreadPool(count: 1)
        let second = Task { [memory] in try await threads.run { _ in _ = try memory.reserve(10) } }
        try await waitUntil { memory.waitingDecodes == 1 }
        #expect(memory.used == 150)
        withExtendedLifetime(first) {}
        first = nil
        try await second.value
        #expect(memory.used == 100)
        withExtendedLifetime(body) {}
    }

    @Test("A cancelled decode leaves the queue")
    func cancelled() throws {
        var first: WorkMemory.Share? = try memory.reserve(100)
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect(throws: WorkMemory.Refusal.cancelled) { try memory.reserve(10, cancellation: cancellation) }
        #expect(memory.used == 100)
        withExtendedLifetime(first) {}
        first = nil
        let second = try memory.reserve(10)
        #expect(memory.used == 10)
        withExtendedLifetime(second) {}
    }

    @Test("Cancelling the task ends the wait of a decode on its thread, which is told nothing", arguments: 0..<20)
    func cancelledWhileWaiting(round: Int) async throws {
        let first = try memory.reserve(100)
        let threads = ThreadPool(count: 1)
        let waiting = Task { [memory] in try await threads.run { _ in _ = try memory.reserve(10) } }
        // Before, while or after it starts to wait.
        if round > 0 { try await waitUntil { memory.waitingDecodes == 1 } }
        waiting.cancel()
        await #expect(throws: (any Error).self) { try await waiting.value }
        #expect(memory.waitingDecodes == 0 && memory.used == 100)
        withExtendedLifetime(first) {}
    }

    @Test("Work that can be left out does not wait")
    func optional() throws {
        let share = try #require(memory.reserveIfFree(60))
        #expect(memory.reserveIfFree(60) == nil)
        withExtendedLifetime(share) {}
    }

    @Test("The oldest body keeps room for its length, and the next goes on when it has ended")
    func bodies() throws {
        var first: WorkMemory.Body? = body("first")
        let second = body("second")
        #expect(try first?.grow(to: 10, expected: 50) == true)
        #expect(try second.grow(to: 50, expected: 90))
        #expect(try !second.grow(to: 51, expected: 90))
        #expect(try first?.grow(to: 50, expected: 50) == true)
        first?.end(isComplete: true)
        #expect(told.values == [])
        first = nil
        #expect(told.values == ["second"] && memory.used == 51)
        #expect(try second.grow(to: 51, expected: 90))
    }

    @Test("If all bodies wait, the oldest goes on beyond the limit")
    func allWait() throws {
        let (first, second) = (body("first"), body("second"))
        // Their lengths are wrong.
        #expect(try first.grow(to: 50, expected: 50) && second.grow(to: 50, expected: 50))
        #expect(try !first.grow(to: 80, expected: 80) && !second.grow(to: 60, expected: 60))
        #expect(told.values == ["first"] && memory.used == 130)
        first.end(isComplete: false)
        #expect(told.values == ["first", "second"])
    }

    @Test("Every holder ends, whatever it needs and in whatever order", arguments: 0..<20 as Range<UInt64>)
    func model(seed: UInt64) async throws {
        let (memory, threads) = (WorkMemory(limit: 1000), ThreadPool(count: 3))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for item in 0..<60 as Range<UInt64> {
                group.addTask {
                    var random = Shuffle(state: seed << 20 | item << 8 | 1)
                    var parts: [WorkMemory.Body] = []
                    for isLast in [random.next(3) > 0, true] {
                        let (room, signal) = AsyncStream.makeStream(of: Void.self)
                        var turns = room.makeAsyncIterator()
                        let body = memory.body { signal.yield() }
                        let (size, isHonest) = (random.next(500), random.next(2) == 0)
                        var count = 0
                        while count < size {
                            count = min(size, count + 1 + random.next(200))
                            while try !body.grow(to: count, expected: isHonest ? size : count) { await turns.next() }
                        }
                        if body.end(isComplete: isLast) { parts.append(body) }
                        if isLast { break }
                    }
                    for part in parts { part.end(isComplete: true) }
                    let needed = random.next(1001)
                    try await threads.run { _ in _ = try memory.reserve(needed) }
                    withExtendedLifetime(parts) {}
                }
            }
            try await group.waitForAll()
        }
        #expect(memory.used == 0)
        // The limit, one decode, and one body.
        #expect(memory.peak <= 1000 + 1000 + 500)
    }

    private struct Shuffle {
        var state: UInt64

        mutating func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
    }
}
