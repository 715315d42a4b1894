internal import SpyglassCaching
internal import SpyglassThreads

/// Writes responses after they were returned; drops those beyond the limits, so that a stalled disk delays fetches once.
final class CacheWriter: Sendable {
    struct Change: Sendable {
        let key: String
        /// `nil` removes what is stored.
        let response: StoredResponse?

        fileprivate var byteCount: Int { response?.response.byteCount ?? 0 }
    }

    /// Pending bytes above which fetches wait: a hundred previews of 40 KB.
    static let backpressureBytes = 4 << 20
    /// With what was in flight when the limit above was reached; below that limit, one response of any size is accepted.
    static let maxBytes = 2 * backpressureBytes
    /// Pending changes above which fetches wait, several screens of images.
    static let backpressureCount = 256
    static let maxCount = 2 * backpressureCount

    /// The maximum time a fetch waits: a short moment for a user.
    static let patience = Duration.seconds(2)
    private static let checkInterval = Duration.milliseconds(10)

    struct Disk: Sendable {
        /// Whether a fetch has waited for `patience` since the last write; then no fetch waits.
        fileprivate(set) var isStalled = false
    }

    let queue: WriteBehindQueue<String, Change, Disk>
    private let time: ElapsedClock

    /// Creates an idle writer; `onStored` is called with each stored response, on a thread of `threads`.
    init(
        _ store: any ByteStore, _ threads: ThreadPool, time: ElapsedClock,
        onStored: @escaping @Sendable (StoredResponse) -> Void
    ) {
        self.time = time
        // The priority is below that of every reader, a `FetchPriority`.
        queue = WriteBehindQueue(
            Disk(), on: threads, priority: -1, didWrite: { queue in queue.withLock { $0.policy.isStalled = false } }
        ) { change, _ in
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

    /// Waits while many responses are pending; throws `CancellationError` as soon as the task is cancelled.
    func waitForCapacity() async throws {
        let deadline = time.now() + Self.patience
        while mustWait {
            guard time.now() < deadline else { return queue.withLock { $0.policy.isStalled = true } }
            try await time.sleep(min(time.now() + Self.checkInterval, deadline))
        }
    }

    private var mustWait: Bool {
        queue.withLock { state in
            let isFull = state.byteCount >= Self.backpressureBytes || state.count >= Self.backpressureCount
            return isFull && !state.policy.isStalled
        }
    }
}
