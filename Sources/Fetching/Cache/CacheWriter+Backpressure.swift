internal import SpyglassThreads

/// Fetches wait before they use the network while many responses are pending; one continues for every write.
extension CacheWriter {
    /// The maximum time a fetch waits: a short moment for a user.
    static let patience = Duration.seconds(2)

    struct Backpressure: Sendable {
        /// Streams that end when their fetches may continue, in the order of arrival.
        fileprivate(set) var waiting: [(priority: FetchPriority, turn: AsyncStream<Never>.Continuation)] = []
        /// Whether a fetch has waited for `patience` since the last write; then no fetch waits.
        fileprivate(set) var isDiskStalled = false
    }

    /// Throws `CancellationError` as soon as the task is cancelled.
    func waitForCapacity(_ priority: FetchPriority) async throws {
        let (turn, continuation) = AsyncStream<Never>.makeStream()
        let mustWait = queue.withLock { state in
            let isFull = state.byteCount >= Self.backpressureBytes || state.count >= Self.backpressureCount
            guard isFull || !state.policy.waiting.isEmpty, !state.policy.isDiskStalled else { return false }
            state.policy.waiting.append((priority, continuation))
            return true
        }
        guard mustWait else { return }
        let deadline = time.now() + Self.patience
        let timer = Task { [queue, time] in
            try await time.sleep(deadline)
            Self.release(queue, isDiskStalled: true)
        }
        defer { timer.cancel() }
        for await _ in turn {}
        try Task.checkCancellation()
    }

    /// Lets the first fetch of the highest priority continue after a write, or all if nothing is pending or the disk is stalled.
    static func release(_ queue: Queue, isDiskStalled: Bool) {
        let released = queue.withLock { state in
            state.policy.isDiskStalled = isDiskStalled
            if isDiskStalled || state.count == 0 {
                defer { state.policy.waiting = [] }
                return state.policy.waiting
            }
            let waiting = state.policy.waiting
            // `max` keeps the first of equal elements.
            let first = waiting.indices.max { waiting[$0].priority < waiting[$1].priority }
            return first.map { [state.policy.waiting.remove(at: $0)] } ?? []
        }
        for fetch in released { fetch.turn.finish() }
    }
}
