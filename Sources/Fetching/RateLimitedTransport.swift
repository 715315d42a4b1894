internal import SpyglassThreads

/// Limits the fetches started per second with each host.
///
///     let transport = RateLimitedTransport(CurlTransport(), requestsPerSecond: 5)
///
/// Fetches of a host start in order, evenly spaced, the first immediately. Cancelled fetches leave the queue. Redirects and the
/// length of a fetch do not count. Put it below retries and caches. Thread-safe.
public struct RateLimitedTransport: Transport {
    private let base: any Transport
    private let queues: HostQueues

    /// Wraps `base`.
    ///
    /// - Parameters:
    ///   - base: fetches.
    ///   - requestsPerSecond: the limit of one host and port; zero or less means unlimited.
    ///   - clock: measures the intervals.
    public init(_ base: any Transport, requestsPerSecond: Double, clock: any Clock<Duration> = ContinuousClock()) {
        self.base = base
        // At most a day, so that small rates do not overflow.
        let seconds = requestsPerSecond > 0 ? min(1 / requestsPerSecond, 86_400) : 0
        queues = HostQueues(interval: .seconds(seconds), ElapsedClock(clock))
    }

    /// Waits for its turn with the host, then fetches.
    ///
    /// - Throws: the errors of `base`; `CancellationError` when the task is cancelled while it waits.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await queues.turn(request.address.authority)
        return try await base.fetch(request)
    }

    var waitingCount: Int { queues.waitingCount }
}

/// A queue per host: the first fetch sleeps until its time, the others until they are first.
private final class HostQueues: Sendable {
    private struct Waiter {
        let number: Int
        /// `nil` before it waits, and when it is first.
        var continuation: CheckedContinuation<Void, any Error>?
    }

    private struct Queue {
        /// The earliest start of the next fetch.
        var next = Duration.zero
        var waiters: [Waiter] = []
    }

    private struct State {
        var queues: [String: Queue] = [:]
        var lastNumber = 0
        /// The number of hosts above which idle ones are dropped.
        var dropAt = 256

        func index(of number: Int, _ host: String) -> Int? { queues[host]?.waiters.firstIndex { $0.number == number } }

        /// Removes a fetch; returns the one that is first now, to be resumed.
        mutating func remove(_ number: Int, _ host: String) -> CheckedContinuation<Void, any Error>? {
            guard let index = index(of: number, host) else { return nil }
            queues[host]?.waiters.remove(at: index)
            guard index == 0, queues[host]?.waiters.isEmpty == false else { return nil }
            return queues[host]?.waiters[0].continuation.take()
        }
    }

    private let interval: Duration
    private let time: ElapsedClock
    private let state = Mutex(State())

    init(interval: Duration, _ time: ElapsedClock) {
        self.interval = interval
        self.time = time
    }

    var waitingCount: Int { state.withLock { $0.queues.values.reduce(0) { $0 + $1.waiters.count } } }

    func turn(_ host: String) async throws {
        try Task.checkCancellation()
        guard interval > .zero, let number = join(host) else { return }
        do {
            try await waitToBeFirst(number, host)
            while let moment = claim(number, host) { try await time.sleep(moment) }
        } catch {
            leave(number, host)
            throw error
        }
    }

    /// `nil` if the fetch may start.
    private func join(_ host: String) -> Int? {
        let now = time.now()
        return state.withLock { state in
            dropIdle(&state, now)
            var line = state.queues[host] ?? Queue()
            defer { state.queues[host] = line }
            if line.waiters.isEmpty, now >= line.next {
                line.next = now + interval
                return nil
            }
            state.lastNumber += 1
            line.waiters.append(Waiter(number: state.lastNumber))
            return state.lastNumber
        }
    }

    private func waitToBeFirst(_ number: Int, _ host: String) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isFirst = state.withLock { state -> Bool in
                    guard let index = state.index(of: number, host), index > 0 else { return true }
                    state.queues[host]?.waiters[index].continuation = continuation
                    return false
                }
                // If it was cancelled before it waited, it notices when it sleeps or is first.
                if isFirst { continuation.resume() } else if Task.isCancelled { cancel(number, host) }
            }
        } onCancel: {
            cancel(number, host)
        }
    }

    private func cancel(_ number: Int, _ host: String) {
        let continuation = state.withLock { state in
            state.index(of: number, host).flatMap { state.queues[host]?.waiters[$0].continuation.take() }
        }
        continuation?.resume(throwing: CancellationError())
    }

    /// Takes the turn of the first fetch, or returns when it comes.
    private func claim(_ number: Int, _ host: String) -> Duration? {
        let now = time.now()
        let (moment, next) = state.withLock { state -> (Duration?, CheckedContinuation<Void, any Error>?) in
            guard let moment = state.queues[host]?.next, now < moment else {
                state.queues[host]?.next = now + interval
                return (nil, state.remove(number, host))
            }
            return (moment, nil)
        }
        next?.resume()
        return moment
    }

    private func leave(_ number: Int, _ host: String) { state.withLock { $0.remove(number, host) }?.resume() }

    private func dropIdle(_ state: inout State, _ now: Duration) {
        guard state.queues.count >= state.dropAt else { return }
        state.queues = state.queues.filter { !$0.value.waiters.isEmpty || $0.value.next > now }
        state.dropAt = max(256, 2 * state.queues.count)
    }
}
