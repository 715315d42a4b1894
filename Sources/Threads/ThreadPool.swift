/// A few threads for work that blocks or computes, so that no thread of Swift's cooperative pool is kept from its tasks.
///
///     let threads = ThreadPool(count: 2)
///     let pixels = try await threads.run(rank: 2) { isCancelled in try decode(bytes, isCancelled) }
///
/// Work of the highest rank starts first and, within a rank, what came first. Where there are two threads or more, one of them
/// takes no heavy work while light work of the same rank or a higher one waits: of large pictures in the line, only one that it had begun
/// when nothing light waited keeps small ones waiting. Threads start when there is work for them and end when the last reference
/// goes; work that waits then is still done.
public final class ThreadPool: Sendable {
    /// For tests, which wait for what happens on its threads.
    let queue: WorkQueue

    /// Nothing runs before the first work comes.
    ///
    /// - Parameter count: threads at most, at least one; where the system refuses them all, work is done on the caller's thread.
    public init(count: Int) { queue = WorkQueue(threadLimit: max(1, count)) }

    deinit { queue.close() }

    /// Runs `work` on one of the threads; other tasks go on meanwhile.
    ///
    /// - Parameters:
    ///   - rank: greater is sooner.
    ///   - isLight: whether it is over soon.
    ///   - work: is given a question that it should ask now and then: whether the task that wants it was cancelled.
    /// - Returns: what `work` returns.
    /// - Throws: what `work` throws; `CancellationError`, at once, when the task is cancelled before the work has started.
    public func run<Value: Sendable>(
        rank: Int = 0, isLight: Bool = true,
        _ work: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> Value
    ) async throws -> Value {
        try await run(WorkTicket(rank: rank), isLight: isLight, work)
    }

    /// Runs `work` as above, at a rank that its ticket can change while it waits.
    public func run<Value: Sendable>(
        _ ticket: WorkTicket, isLight: Bool = true,
        _ work: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> Value
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.add(
                    Job(ticket: ticket, isLight: isLight) { isWanted in
                        guard isWanted else { return continuation.resume(throwing: CancellationError()) }
                        continuation.resume(with: Result { try work { ticket.isCancelled } })
                    })
            }
        } onCancel: {
            ticket.cancel()
            queue.drop(ticket)
        }
    }
}
