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
    /// When the next fetch of a host may start.
    private let turns = Mutex<[String: Duration]>([:])
    private static let maxHosts = 256

    /// Wraps `base`; the limit is that of one host and port, zero or less means unlimited.
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
        return turns.withLock { turns in
            let turn = max(now, turns[host] ?? now)
            turns[host] = turn + interval
            // Hosts without a future turn.
            if turns.count >= Self.maxHosts { turns = turns.filter { $0.value > now } }
            return turn
        }
    }
}

/// A type-erased clock: times are durations since its creation.
package struct ElapsedClock: Sendable {
    package let now: @Sendable () -> Duration
    package let sleep: @Sendable (_ until: Duration) async throws -> Void

    package init(_ clock: any Clock<Duration>) { self.init(of: clock) }

    private init<C: Clock>(of clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
