internal import struct Synchronization.Atomic

/// Threads for work that blocks or computes, so that it does not occupy Swift's cooperative pool.
///
///     var configuration = ImagePipeline.Configuration()
///     configuration.threads = ThreadPool(count: 2)
///
/// The highest priority starts first and, within a priority, the first queued. Threads start on demand. They end after the last
/// reference is released and the queued work is done.
public final class ThreadPool: Sendable {
    /// For tests.
    let queue: WorkQueue

    /// Starts no thread.
    ///
    /// - Parameter count: the maximum number of threads, at least one. Where the system allows none, work runs on the caller's
    ///   thread.
    public init(count: Int) { queue = WorkQueue(threadLimit: max(1, count)) }

    deinit { queue.close() }

    /// Runs `work` on one of the threads.
    ///
    /// - Parameters:
    ///   - priority: greater is sooner.
    ///   - work: gets the cancellation of this call, also as `Cancellation.current`; long loops should ask it.
    /// - Returns: the result of `work`.
    /// - Throws: the error of `work`; `CancellationError` if the task is cancelled before the work has started.
    package func run<Value: Sendable>(
        priority: Int = 0, _ work: @escaping @Sendable (Cancellation) throws -> Value
    ) async throws -> Value {
        try await run(WorkTicket(priority: priority), work)
    }

    /// Runs `work` with a priority that can change while it is queued.
    package func run<Value: Sendable>(
        _ ticket: WorkTicket, _ work: @escaping @Sendable (Cancellation) throws -> Value
    ) async throws -> Value {
        defer { ThreadSanitizer.synchronize() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.add(
                    Job(ticket: ticket) { isWanted in
                        guard isWanted else { return continuation.resume(throwing: CancellationError()) }
                        let cancellation = ticket.cancellation
                        let result = Result { try cancellation.run { try work(cancellation) } }
                        ThreadSanitizer.synchronize()
                        continuation.resume(with: result)
                    })
            }
        } onCancel: {
            ticket.cancellation.cancel()
            queue.drop(ticket)
        }
    }
}

/// The priority of one `ThreadPool.run`, which may change while the work is queued; thread-safe.
package final class WorkTicket: Sendable {
    private let storedPriority: Atomic<Int>
    let cancellation = Cancellation()
    private let queue = Mutex(WeakQueue())

    /// A ticket; greater priorities are sooner.
    package init(priority: Int) { storedPriority = Atomic(priority) }

    /// Greater is sooner.
    ///
    /// Setting it moves queued work; running work continues.
    package var priority: Int {
        get { storedPriority.load(ordering: .acquiring) }
        set {
            storedPriority.store(newValue, ordering: .releasing)
            queue.withLock { $0.queue }?.priorityChanged(of: self)
        }
    }

    func enters(_ queue: WorkQueue) { self.queue.withLock { $0.queue = queue } }

    private struct WeakQueue { weak var queue: WorkQueue? }
}
