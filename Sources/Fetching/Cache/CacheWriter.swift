internal import SpyglassCaching
internal import SpyglassThreads

/// Writes responses after they were returned; drops those beyond the limits, so that a stalled disk delays no fetch.
final class CacheWriter: Sendable {
    struct Change: Sendable {
        let key: String
        /// `nil` removes what is stored.
        let response: StoredResponse?

        fileprivate var byteCount: Int { response?.response.byteCount ?? 0 }
    }

    typealias Queue = WriteBehindQueue<String, Change, Backpressure>

    /// Pending bytes above which fetches wait: a hundred previews of 40 KB.
    static let backpressureBytes = 4 << 20
    /// With what was in flight when the limit above was reached; below that limit, one response of any size is accepted.
    static let maxBytes = 2 * backpressureBytes
    /// Pending changes above which fetches wait, several screens of images.
    static let backpressureCount = 256
    static let maxCount = 2 * backpressureCount

    let queue: Queue
    let time: ElapsedClock

    /// Creates an idle writer; `onStored` is called with each stored response, on a thread of `threads`.
    init(
        _ store: any ByteStore, _ threads: ThreadPool, time: ElapsedClock,
        onStored: @escaping @Sendable (StoredResponse) -> Void
    ) {
        self.time = time
        // The priority is below that of every reader, a `FetchPriority`.
        queue = Queue(Backpressure(), on: threads, priority: -1, didWrite: { Self.release($0, isDiskStalled: false) }) {
            change, _ in
            guard let response = change.response else { return store.remove(change.key) }
            // Another fetch may have stored the complete response since, or one of another variant.
            if response.isPartial, store.entry(for: change.key)?.isPartial == false { return }
            if store.store(response.entry, for: change.key) { onStored(response) }
        }
    }

    func pendingChange(for key: String) -> Change? { queue.withLock { $0.value(for: key) } }

    /// `nil` removes; does nothing if too much is pending, or if a partial response would replace a complete one.
    func put(_ response: StoredResponse?, for key: String) {
        queue.withLock { state in
            let old = state.value(for: key)
            if response?.isPartial == true, old?.response?.isPartial == false { return }
            var change = Change(key: key, response: response)
            let byteCount = state.byteCount - (old?.byteCount ?? 0)
            let isAccepted =
                state.count < Self.maxCount
                && (byteCount < Self.backpressureBytes || byteCount + change.byteCount <= Self.maxBytes)
            if !isAccepted {
                // An older change of the key must not win over this one.
                guard old != nil else { return }
                change = Change(key: key, response: nil)
            }
            state.put(change, for: key, byteCount: change.byteCount)
        }
    }
}

/// Fetches wait before they use the network while many responses are pending.
extension CacheWriter {
    /// The maximum time a fetch waits: a short moment for a user.
    static let patience = Duration.seconds(2)

    struct Backpressure: Sendable {
        /// Streams that end when their fetches may continue.
        fileprivate(set) var waiting: [AsyncStream<Never>.Continuation] = []
        /// Whether a fetch has waited for `patience` since the last write; then no fetch waits.
        fileprivate(set) var isDiskStalled = false
    }

    /// Throws `CancellationError` as soon as the task is cancelled.
    func waitForCapacity() async throws {
        let (turn, continuation) = AsyncStream<Never>.makeStream()
        let mustWait = queue.withLock { state in
            guard Self.isFull(state), !state.policy.isDiskStalled else { return false }
            state.policy.waiting.append(continuation)
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

    private static func isFull(_ state: Queue.State) -> Bool {
        state.byteCount >= backpressureBytes || state.count >= backpressureCount
    }

    /// Lets all fetches continue if there is room, or if the disk is stalled.
    private static func release(_ queue: Queue, isDiskStalled: Bool) {
        let released = queue.withLock { state -> [AsyncStream<Never>.Continuation] in
            state.policy.isDiskStalled = isDiskStalled
            guard isDiskStalled || !isFull(state) else { return [] }
            defer { state.policy.waiting = [] }
            return state.policy.waiting
        }
        for turn in released { turn.finish() }
    }
}
