internal import SpyglassThreads

/// Fetches wait before they use the network while many responses are pending: one continues for every write.
///
/// So the network is as fast as the disk, and memory is bounded. A fetch that has waited for `patience` proves a stalled disk. All
/// waiting fetches then continue, and new ones do not wait before the next write.
extension CacheWriter {
    /// The maximum time a fetch waits: a short moment for a user.
    static let patience = Duration.seconds(2)

    struct Backpressure: Sendable {
        struct Fetch: Sendable {
            let ticket: FetchTicket
            let request: FetchRequest
            let deadline: Duration
            let continuation: CheckedContinuation<Void, any Error>
        }

        /// In the order of arrival.
        fileprivate(set) var waiting: [Fetch] = []
        /// Whether no write has ended since a fetch waited for too long.
        fileprivate(set) var isDiskStalled = false
        /// Ends the wait of the first fetch at its deadline.
        fileprivate var timer: Task<Void, Never>?

        /// Returns the fetches that continue after a write: the first of the highest priority, or all.
        fileprivate mutating func release(all: Bool) -> [Fetch] {
            isDiskStalled = false
            guard !all else { return removeAll() }
            // `max` keeps the first of equal elements.
            let first = waiting.indices.max { waiting[$0].request.priority < waiting[$1].request.priority }
            return first.map { [remove(at: $0)] } ?? []
        }

        fileprivate mutating func removeAll() -> [Fetch] {
            defer {
                waiting = []
                stopTimer()
            }
            return waiting
        }

        fileprivate mutating func remove(_ ticket: FetchTicket) -> Fetch? {
            waiting.firstIndex { $0.ticket === ticket }.map { remove(at: $0) }
        }

        private mutating func remove(at index: Int) -> Fetch {
            defer { if waiting.isEmpty { stopTimer() } }
            return waiting.remove(at: index)
        }

        private mutating func stopTimer() {
            timer?.cancel()
            timer = nil
        }
    }

    /// Releases waiting fetches after a write.
    static func release(_ queue: Queue) {
        let released = queue.withLock { $0.policy.release(all: $0.count == 0) }
        for fetch in released { fetch.continuation.resume() }
    }

    /// Returns when a fetch may use the network: immediately, unless too much is pending.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func waitForCapacity(for request: FetchRequest) async throws {
        guard queue.withLock({ $0.mustWait }) else { return }
        let ticket = FetchTicket()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(
                    Backpressure.Fetch(
                        ticket: ticket, request: request, deadline: time.now() + Self.patience,
                        continuation: continuation))
            }
        } onCancel: {
            ticket.cancel()
            queue.withLock { $0.policy.remove(ticket) }?.continuation.resume(throwing: CancellationError())
        }
    }

    private func enqueue(_ fetch: Backpressure.Fetch) {
        let result = queue.withLock { state -> Result<Void, any Error>? in
            // `cancel` sets the flag before `remove` looks for the fetch: one of the two sees it.
            if fetch.ticket.isCancelled { return .failure(CancellationError()) }
            guard state.mustWait else { return .success(()) }
            state.policy.waiting.append(fetch)
            if state.policy.timer == nil { state.policy.timer = Task { await self.watchDeadlines() } }
            return nil
        }
        if let result { fetch.continuation.resume(with: result) }
    }

    private func watchDeadlines() async {
        while let deadline = queue.withLock({ $0.policy.waiting.first?.deadline }) {
            do { try await time.sleep(deadline) } catch { return }
            let now = time.now()
            let released = queue.withLock { state in
                guard let first = state.policy.waiting.first, first.deadline <= now else {
                    return [Backpressure.Fetch]()
                }
                state.policy.isDiskStalled = true
                return state.policy.removeAll()
            }
            for fetch in released { fetch.continuation.resume() }
        }
    }
}

extension CacheWriter.Queue.State {
    /// Whether a new fetch waits: also behind others, until their turn.
    fileprivate var mustWait: Bool {
        guard !policy.isDiskStalled else { return false }
        return byteCount >= CacheWriter.backpressureBytes || count >= CacheWriter.backpressureCount
            || !policy.waiting.isEmpty
    }
}
