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
                        try await threads.run(ticket) { _ in ran.change { $0 += 1 } }
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
            #expect(ends.done + ends.refused == 10_000 && ends.done >= 5_000)
            #expect(ran.value == ends.done && threads.queue.waitingCount == 0)
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

@Suite("Cancellation", .timeLimit(.minutes(10)))
struct CancellationTests {
    private let cancellation = Cancellation()
    private let calls = CallRecorder<String>()

    @Test("Cancelling calls each action once")
    func actions() {
        let first = cancellation.onCancel { calls.record("first") }
        let second = cancellation.onCancel { calls.record("second") }
        #expect(!cancellation.isCancelled && calls.values.isEmpty)
        cancellation.cancel()
        cancellation.cancel()
        #expect(cancellation.isCancelled && calls.values.sorted() == ["first", "second"])
        withExtendedLifetime((first, second)) {}
    }

    @Test("An action that comes too late is called at once")
    func late() {
        cancellation.cancel()
        _ = cancellation.onCancel { calls.record("late") }
        #expect(calls.values == ["late"])
    }

    @Test("A released registration is not called, and keeps nothing of its action")
    func released() {
        var object: CallRecorder<String>? = calls
        weak let held = object
        var registration: Cancellation.Registration? = cancellation.onCancel { [object] in object?.record("released") }
        #expect(registration != nil)
        registration = nil
        object = nil
        cancellation.cancel()
        #expect(calls.values.isEmpty && held != nil)
    }

    @Test("An action may register and release others")
    func reentrant() {
        let registration = cancellation.onCancel { [cancellation, calls] in
            _ = cancellation.onCancel { calls.record("inner") }
        }
        cancellation.cancel()
        #expect(calls.values == ["inner"])
        withExtendedLifetime(registration) {}
    }

    @Test("Work on a thread pool finds its own cancellation; other code has none")
    func current() async throws {
        let threads = ThreadPool(count: 1)
        let (isCurrent, isOurs) = try await threads.run { [cancellation] own in
            (own === Cancellation.current, own === cancellation)
        }
        #expect(isCurrent && !isOurs && Cancellation.current == nil)
    }

    @Test("Without a cancellation the task is asked")
    func task() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try Cancellation.check()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(throws: CancellationError.self) {
            cancellation.cancel()
            try cancellation.run { try Cancellation.check() }
        }
    }
}
