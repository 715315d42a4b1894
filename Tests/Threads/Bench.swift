import SpyglassTestSupport
import Testing

@testable import SpyglassThreads

/// Threads that are all held at a gate, and work that waits behind and writes down its name when it is done.
final class Bench: Sendable {
    let threads: ThreadPool
    /// Holds the threads until it is opened.
    let gate = Gate()
    private let held = Mutex(0)
    private let names = Mutex<[String]>([])
    private let tasks = Mutex<[Task<Void, any Error>]>([])

    init(threads count: Int) async throws {
        threads = ThreadPool(count: count)
        for _ in 0..<count {
            let task = Task { [self] in
                try await threads.run(priority: .max) { [self] _ in
                    held.withLock { $0 += 1 }
                    gate.wait()
                }
            }
            tasks.withLock { $0.append(task) }
        }
        await waitUntil { held.withLock({ $0 }) >= count }
    }

    /// The names of what is done, in the order of its end.
    var done: [String] { names.withLock { $0 } }

    /// Adds work and waits until it stands in the line.
    @discardableResult
    func lineUp(
        _ name: String, _ ticket: WorkTicket, isLight: Bool = true, until gate: Gate? = nil
    ) async -> Task<Void, any Error> {
        let waiting = threads.queue.waitingCount
        let task = Task { [self] in
            try await threads.run(ticket, isLight: isLight) { [self] _ in
                gate?.wait()
                names.withLock { $0.append(name) }
            }
        }
        tasks.withLock { $0.append(task) }
        await waitUntil { threads.queue.waitingCount != waiting }
        return task
    }

    /// Lets the threads go, waits for everything and answers the names in the order of their end.
    func finish() async throws -> [String] {
        gate.open()
        for task in tasks.withLock({ $0 }) { try await task.value }
        return done
    }
}
