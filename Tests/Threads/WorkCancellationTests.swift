import SpyglassTestSupport
import Testing

@testable import SpyglassThreads

@Suite("ThreadPool: cancellation", .timeLimit(.minutes(10)))
struct WorkCancellationTests {
    @Test("Queued work that is cancelled never runs")
    func waiting() async throws {
        let threads = ThreadPool(count: 1)
        let gate = Gate()
        let blocker = Task { try await threads.run(priority: 1) { _ in gate.wait() } }
        let ran = WatchedValue(false)
        let task = Task { try await threads.run { _ in ran.change { $0 = true } } }
        try await waitUntil { threads.queue.waitingCount == 1 }
        #expect(!ran.value)
        task.cancel()
        // The thread is still blocked, so a queued job could not end.
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(threads.queue.waitingCount == 0)
        gate.open()
        try await blocker.value
        #expect(ran.value == false)
    }

    @Test("Work of a cancelled task never runs")
    func before() async throws {
        let threads = ThreadPool(count: 1)
        let ran = WatchedValue(false)
        let start = WatchedValue(false)
        let task = Task {
            await start.wait { $0 }
            try await threads.run { _ in ran.change { $0 = true } }
        }
        task.cancel()
        start.change { $0 = true }
        await #expect(throws: CancellationError.self) { try await task.value }
        try await threads.run { _ in }
        #expect(ran.value == false)
    }

    @Test("Running work sees its cancellation, and its result counts")
    func running() async throws {
        let threads = ThreadPool(count: 1)
        let started = WatchedValue(false)
        let task = Task {
            try await threads.run { cancellation in
                started.change { $0 = !cancellation.isCancelled }
                while !cancellation.isCancelled {}
                return "half done"
            }
        }
        await started.wait { $0 }
        task.cancel()
        #expect(try await task.value == "half done")
    }

    @Test("Cancelling one keeps the order of the others")
    func others() async throws {
        let bench = try await Bench(threads: 1)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<6 { tasks.append(try await bench.lineUp("\(number)", WorkTicket(priority: number % 2))) }
        tasks[1].cancel()
        tasks[4].cancel()
        try await waitUntil { bench.threads.queue.waitingCount == 4 }
        bench.gate.open()
        for number in [0, 2, 3, 5] { try await tasks[number].value }
        #expect(bench.done == ["3", "5", "0", "2"])
    }

    @Test("Ten thousand started and cancelled jobs each run or are cancelled")
    func storm() async throws {
        let ran = WatchedValue(0)
        weak var queue: WorkQueue?
        do {
            let threads = ThreadPool(count: 3)
            queue = threads.queue
            let ends = await withTaskGroup(of: (isDone: Bool, isRefused: Bool).self) { group in
                for number in 0..<10_000 {
                    let task = Task {
                        let ticket = WorkTicket(priority: number % 3)
                        if number % 5 == 0 { Task { ticket.priority = number % 7 } }
                        try await threads.run(ticket, isLight: number % 4 != 0) { _ in ran.change { $0 += 1 } }
                    }
                    group.addTask {
                        if number % 2 == 0 { task.cancel() }
                        return await Self.end(of: task)
                    }
                }
                return await group.reduce(into: (done: 0, refused: 0)) { ends, end in
                    ends.done += end.isDone ? 1 : 0
                    ends.refused += end.isRefused ? 1 : 0
                }
            }
            #expect(ends.done + ends.refused == 10_000)
            #expect(ends.done >= 5_000)
            #expect(ran.value == ends.done)
            #expect(threads.queue.waitingCount == 0)
        }
        try await waitUntil { queue == nil }
    }

    private static func end(of task: Task<Void, any Error>) async -> (isDone: Bool, isRefused: Bool) {
        switch await task.result {
        case .success: (true, false)
        case .failure(let error): (false, error is CancellationError)
        }
    }
}
