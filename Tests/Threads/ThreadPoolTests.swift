import Glibc
import SpyglassTestSupport
import Testing

@testable import SpyglassThreads

@Suite("ThreadPool", .timeLimit(.minutes(10)))
struct ThreadPoolTests {
    @Test("run returns the result or throws the error of its work")
    func results() async throws {
        let threads = ThreadPool(count: 2)
        #expect(try await threads.run { _ in 42 } == 42)
        await #expect(throws: Refusal.self) { try await threads.run { _ in throw Refusal() } }
    }

    @Test("The highest priority starts first, and the earliest within it")
    func order() async throws {
        let bench = try await Bench(threads: 1)
        for (name, priority) in [("low", 0), ("first", 2), ("second", 2), ("middle", 1)] {
            try await bench.lineUp(name, WorkTicket(priority: priority))
        }
        #expect(try await bench.finish() == ["first", "second", "middle", "low"])
    }

    @Test("A changed priority moves queued work up and down")
    func rankChanges() async throws {
        let bench = try await Bench(threads: 1)
        let tickets = (0..<4).map { _ in WorkTicket(priority: 1) }
        for (number, ticket) in tickets.enumerated() { try await bench.lineUp("\(number)", ticket) }
        tickets[3].priority = 2
        tickets[0].priority = 0
        tickets[1].priority = 5
        tickets[1].priority = 1
        #expect(try await bench.finish() == ["3", "1", "2", "0"])
    }

    @Test("Work uses all threads, and not more", arguments: [1, 2, 5])
    func limit(count: Int) async throws {
        let threads = ThreadPool(count: count)
        let running = WatchedValue((now: 0, most: 0))
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await threads.run { _ in
                        running.change { running in
                            running.now += 1
                            running.most = max(running.most, running.now)
                        }
                        gate.wait()
                        running.change { $0.now -= 1 }
                    }
                }
            }
            await running.wait { $0.now >= count }
            try await waitUntil { threads.queue.waitingCount == 20 - count }
            gate.open()
            try await group.waitForAll()
        }
        #expect(running.value.most == count)
    }

    @Test("A count below one gives one thread", arguments: [0, -1, Int.min])
    func noThreads(count: Int) async throws {
        #expect(try await ThreadPool(count: count).run { _ in 1 } == 1)
    }

    @Test("Threads block signals of the process, but not their own faults")
    func signals() async throws {
        let blocked = try await ThreadPool(count: 1).run { _ in
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            return [SIGINT, SIGTERM, SIGTSTP, SIGSEGV, SIGILL, SIGABRT].map { sigismember(&mask, $0) == 1 }
        }
        #expect(blocked == [true, true, true, false, false, false])
    }

    @Test("Starting a thread restores the signal mask")
    func makersSignals() {
        // A thread of the cooperative pool blocks all of them.
        var (none, original, after) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &original)
        ThreadPool(count: 1).queue.add(Job(ticket: WorkTicket(priority: 0)) { _ in })
        pthread_sigmask(SIG_SETMASK, &original, &after)
        for signal in [SIGINT, SIGTERM, SIGTSTP, SIGWINCH] { #expect(sigismember(&after, signal) == 0) }
    }

    @Test("All threads end after the last reference is released")
    func end() async throws {
        weak var queue: WorkQueue?
        weak var result: Object?
        do {
            let threads = ThreadPool(count: 3)
            queue = threads.queue
            let object = Object()
            result = object
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { try await threads.run { _ in _ = object } } }
                try await group.waitForAll()
            }
            #expect(queue != nil)
        }
        // Each thread holds a reference until its end.
        try await waitUntil { queue == nil }
        #expect(result == nil)
    }
}

private struct Refusal: Error {}

private final class Object: Sendable {}
