internal import SpyglassThreads

/// Fetches are held back from the network while much waits for the disk, and go on one for every change that has reached
/// it: so the network is as fast as the disk, and memory is bounded.
///
/// Nobody is held for longer than `patience`. Then the disk is taken to stand still: everybody goes on, and so do all who
/// come before it has moved again.
extension CacheWriter {
    /// How long a fetch is held back at most: what a user takes for a moment.
    static let patience = Duration.seconds(2)

    /// Those who are held back.
    struct Backpressure {
        struct Fetch: Sendable {
            let ticket: FetchTicket
            let request: FetchRequest
            let deadline: Duration
            let continuation: CheckedContinuation<Void, any Error>
        }

        /// In the order they came.
        fileprivate(set) var held: [Fetch] = []
        /// Whether nothing has reached the disk since somebody was held for too long.
        fileprivate(set) var diskStandsStill = false
        /// Rings when the first of them has been held for too long.
        fileprivate var alarm: Task<Void, Never>?

        /// A change has reached the disk: who may go on, the most urgent or all.
        mutating func admit(all: Bool) -> [Fetch] {
            diskStandsStill = false
            guard !all else { return takeAll() }
            guard let first = held.indices.max(by: { isLess($0, $1) }) else { return [] }
            defer { if held.isEmpty { silence() } }
            return [held.remove(at: first)]
        }

        /// Of the same priority, who came first is more.
        private func isLess(_ one: Int, _ other: Int) -> Bool {
            let (left, right) = (held[one].request.priority, held[other].request.priority)
            return left == right ? one > other : left < right
        }

        fileprivate mutating func takeAll() -> [Fetch] {
            defer {
                held = []
                silence()
            }
            return held
        }

        fileprivate mutating func remove(_ ticket: FetchTicket) -> Fetch? {
            guard let index = held.firstIndex(where: { $0.ticket === ticket }) else { return nil }
            defer { if held.isEmpty { silence() } }
            return held.remove(at: index)
        }

        private mutating func silence() {
            alarm?.cancel()
            alarm = nil
        }
    }

    /// Returns when a fetch may go to the network: at once, unless much waits for the disk.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    func waitForCapacity(for request: FetchRequest) async throws {
        guard state.withLock({ $0.holdsBack }) else { return }
        let ticket = FetchTicket()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                hold(
                    Backpressure.Fetch(
                        ticket: ticket, request: request, deadline: time.now() + Self.patience,
                        continuation: continuation))
            }
        } onCancel: {
            ticket.cancel()
            state.withLock { $0.room.remove(ticket) }?.continuation.resume(throwing: CancellationError())
        }
    }

    private func hold(_ fetch: Backpressure.Fetch) {
        let result = state.withLock { state -> Result<Void, any Error>? in
            // The flag was up before its owner could look for the fetch: one of the two sees it.
            if fetch.ticket.isCancelled { return .failure(CancellationError()) }
            guard state.holdsBack else { return .success(()) }
            state.room.held.append(fetch)
            if state.room.alarm == nil { state.room.alarm = Task { await self.watchDeadlines() } }
            return nil
        }
        if let result { fetch.continuation.resume(with: result) }
    }

    private func watchDeadlines() async {
        while let deadline = state.withLock({ $0.room.held.first?.deadline }) {
            do { try await time.sleep(deadline) } catch { return }
            let now = time.now()
            let released = state.withLock { state in
                guard let first = state.room.held.first, first.deadline <= now else { return [Backpressure.Fetch]() }
                state.room.diskStandsStill = true
                return state.room.takeAll()
            }
            for fetch in released { fetch.continuation.resume() }
        }
    }
}

extension CacheWriter.State {
    /// Whether who comes now has to wait: for others who do, too, until their turn has come.
    fileprivate var holdsBack: Bool {
        guard !room.diskStandsStill else { return false }
        return byteCount >= CacheWriter.roomLimit || staged.count >= CacheWriter.roomCount || !room.held.isEmpty
    }
}
