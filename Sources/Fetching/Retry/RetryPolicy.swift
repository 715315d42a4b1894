internal import SpyglassCaching

/// Whether and when a fetch that failed is made again.
///
/// The wait before try number n is chosen evenly between nothing and `baseDelay` times 2 to the n ("full jitter"), so
/// that many who failed together do not come back together. `Retry-After` is waited for in full, and then that on top.
struct RetryPolicy: Sendable {
    /// How many times, beside the first.
    var retries: Int
    /// Whether a transfer that stood still is worth the time of another.
    var repeatsTimeouts = true
    /// A server that asks to wait for longer is not waited for.
    var maxRetryAfter = Duration.seconds(60)
    /// Gives numbers from 0 to 1.
    var jitter: @Sendable () -> Double

    /// The longest wait before the first repetition.
    static let baseDelay = Duration.seconds(1)
    /// Twice as long as it takes a load balancer to notice a dead server (10 to 15 s in the defaults of nginx and AWS).
    static let maxDelay = Duration.seconds(30)

    /// Whether an answer says that the server cannot answer now (RFC 9110 section 15.6, RFC 6585 section 4).
    static func isTransient(status: Int) -> Bool { [429, 500, 502, 503, 504].contains(status) }

    /// Whether an error is one that another try may not meet: a connection that broke, or no progress.
    ///
    /// A name that is not found and a connection that is refused are none: offline, every picture would wait for nothing.
    func isTransient(_ error: FetchError) -> Bool {
        switch error.kind {
        case .timedOut: repeatsTimeouts
        case .unreachable: error.isConnectionLost || error.partialResponse != nil
        default: false
        }
    }

    /// The rule where there is something older to show: one more try, unless there is a wait that was asked for.
    var withFallback: RetryPolicy {
        var rule = self
        rule.retries = min(retries, 1)
        rule.repeatsTimeouts = false
        rule.maxRetryAfter = .zero
        return rule
    }

    /// How long to wait before another try; `nil` when there is to be none.
    ///
    /// `made` repetitions were made so far, and the server asked for `retryAfter`.
    func delay(afterRetries made: Int, retryAfter: Duration? = nil) -> Duration? {
        guard made < retries, (retryAfter ?? .zero) <= maxRetryAfter else { return nil }
        // 2 to the 10 is beyond the longest delay already.
        let longest = min(Self.baseDelay * (1 << min(max(made, 0), 10)), Self.maxDelay)
        let share = jitter()
        return (retryAfter ?? .zero) + longest * (share > 0 ? min(share, 1) : 0)
    }
}
