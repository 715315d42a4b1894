internal import SpyglassThreads

/// Limits the fetches started per second with each host.
///
///     let transport = RateLimitedTransport(CurlTransport(), requestsPerSecond: 5)
///
/// Fetches of a host start in order, evenly spaced, the first immediately. A cancelled fetch ends at once; its turn stays unused.
/// Redirects and the length of a fetch do not count. Put it below retries and caches. Thread-safe.
package final class RateLimitedTransport: Transport {
    private let base: any Transport
    private let interval: Duration
    private let time: ElapsedClock
    private let state = Mutex(State())

    private struct State {
        /// When the next fetch of a host may start.
        var turns: [String: Duration] = [:]
        /// The number of hosts at which those without a future turn are dropped.
        var dropAt = 256
    }

    /// Wraps `base`.
    ///
    /// - Parameters:
    ///   - base: fetches.
    ///   - requestsPerSecond: the limit of one host and port; zero or less means unlimited.
    ///   - clock: measures the intervals.
    package init(_ base: any Transport, requestsPerSecond: Double, clock: any Clock<Duration> = ContinuousClock()) {
        self.base = base
        // At most a day, so that small rates do not overflow.
        interval = .seconds(requestsPerSecond > 0 ? min(1 / requestsPerSecond, 86_400) : 0)
        time = ElapsedClock(clock)
    }

    /// Waits for its turn with the host, then fetches.
    ///
    /// - Throws: the errors of `base`; `CancellationError` when the task is cancelled while it waits.
    package func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try Task.checkCancellation()
        let now = time.now()
        let turn = nextTurn(of: request.address.authority, now)
        if turn > now { try await time.sleep(turn) }
        return try await base.fetch(request)
    }

    private func nextTurn(of host: String, _ now: Duration) -> Duration {
        guard interval > .zero else { return now }
        return state.withLock { state in
            let turn = max(now, state.turns[host] ?? now)
            state.turns[host] = turn + interval
            if state.turns.count >= state.dropAt {
                state.turns = state.turns.filter { $0.value > now }
                state.dropAt = max(256, 2 * state.turns.count)
            }
            return turn
        }
    }
}
