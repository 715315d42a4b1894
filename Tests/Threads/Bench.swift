import SpyglassTestSupport
import Testing

@testable import SpyglassThreads

/// Threads that are all blocked at a gate, and queued work that records its name at its end.
final class Bench: Sendable {
    let threads: ThreadPool
    /// Blocks the threads until it is opened.
    let gate = Gate()
    private let names = CallRecorder<String>()
    private let tasks = Mutex<[Task<Void, any Error>]>([])

    init(threads count: Int) async throws {
        threads = ThreadPool(count: count)
        let blocked = WatchedValue(0)
        for _ in 0..<count {
            let task = Task { [self] in
                try await threads.run(priority: .max) { [self] _ in
                    blocked.change { $0 += 1 }
                    gate.wait()
                }
            }
            tasks.withLock { $0.append(task) }
        }
        await blocked.wait { $0 == count }
    }

    /// The names of finished work, in order.
    var done: [String] { names.values }

    /// Adds work and waits until it is queued.
    @discardableResult
    func lineUp(_ name: String, _ ticket: WorkTicket) async throws -> Task<Void, any Error> {
        let waiting = threads.queue.waitingCount
        let task = Task { [self] in try await threads.run(ticket) { [self] _ in names.record(name) } }
        tasks.withLock { $0.append(task) }
        try await waitUntil { threads.queue.waitingCount != waiting }
        return task
    }

    /// Opens the gate, waits for all work and returns the names in the order of their end.
    func finish() async throws -> [String] {
        gate.open()
        for task in tasks.withLock({ $0 }) { try await task.value }
        return done
    }
}
