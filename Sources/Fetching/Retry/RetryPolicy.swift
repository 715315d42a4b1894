internal import SpyglassCaching
internal import SpyglassThreads

/// Which failures are retried, and when: after 0 to `baseDelay` times 2 to the number of retries ("full jitter"); after
/// a requested one, at most `baseDelay` is added.
package struct RetryPolicy: Sendable {
    var retries: Int
    var repeatsTimeouts = true
    /// Longer requested delays end the retries.
    var maxRetryAfter = Duration.seconds(60)
    /// Returns 0 to 1.
    var jitter: @Sendable () -> Double

    static let baseDelay = Duration.seconds(1)
    /// Twice the time a load balancer needs to detect a dead server (10 to 15 s by default in nginx and AWS).
    static let maxDelay = Duration.seconds(30)

    /// RFC 9110 section 15.6, RFC 6585 section 4.
    package static func isTransient(status: Int) -> Bool { [429, 500, 502, 503, 504].contains(status) }

    /// Lost connections and timeouts other than a deadline; not unknown names and refused connections, so that nothing waits when offline.
    func isTransient(_ error: FetchError) -> Bool {
        switch error.kind {
        case .timedOut: repeatsTimeouts && error.exceededLimit != .deadline
        case .unreachable: error.isConnectionLost || error.partialResponse != nil
        default: false
        }
    }

    /// For a fetch with a fallback: one retry, without a requested delay.
    var withFallback: RetryPolicy {
        var policy = self
        policy.retries = min(retries, 1)
        policy.repeatsTimeouts = false
        policy.maxRetryAfter = .zero
        return policy
    }

    /// The delay before the next retry; `nil` to give up.
    func delay(afterRetries made: Int, retryAfter: Duration? = nil) -> Duration? {
        guard made < retries, (retryAfter ?? .zero) <= maxRetryAfter else { return nil }
        // 2 to the 10 exceeds the maximum already. After a requested delay a second suffices to spread the clients.
        let isRequested = (retryAfter ?? .zero) > .zero
        let longest = min(Self.baseDelay * (1 << (isRequested ? 0 : min(max(made, 0), 10))), Self.maxDelay)
        let share = jitter()
        return (retryAfter ?? .zero) + longest * (share > 0 ? min(share, 1) : 0)
    }
}

/// `Retry-After` (RFC 9110 section 10.2.3).
enum RetryAfter {
    /// Seconds or a date; zero if it has passed, `nil` if unreadable.
    static func delay(in headers: HTTPHeaders, now: WallTime) -> Duration? {
        guard let text = headers["Retry-After"] else { return untilReset(in: headers) }
        if let seconds = DeltaSeconds.parse(text) { return .seconds(seconds) }
        return HTTPDate.parse(text, now: now).map { max(.zero, now.duration(to: $0)) }
    }

    /// The time until the request limit that Tumblr reports as exhausted is reset.
    private static func untilReset(in headers: HTTPHeaders) -> Duration? {
        ["Perhour", "Perday"].compactMap { period in
            guard headers["X-Ratelimit-\(period)-Remaining"] == "0" else { return nil }
            return headers["X-Ratelimit-\(period)-Reset"].flatMap { DeltaSeconds.parse($0) }.map { .seconds($0) }
        }.max()
    }
}

/// gRPC's retry throttling per host (gRFC A6): a failure costs a token, a success returns a tenth, retries need more than half.
final class RetryBudget: Sendable {
    /// The minimum capacity, in tenths of a token.
    private static let minCapacity = 100
    private static let failureCost = 10
    private static let successGain = 1
    /// Above this, all counts are reset.
    private static let hostLimit = 256

    /// Lasts for two fetches with any number of retries.
    private let capacity: Int
    /// Hosts without an entry have all tokens.
    private let tokens = Mutex<[String: Int]>([:])

    init(retries: Int) { capacity = max(Self.minCapacity, 4 * (retries + 1) * Self.failureCost) }

    func mayRepeat(afterFailureOf host: String) -> Bool {
        tokens.withLock { tokens in
            if tokens.count >= Self.hostLimit, tokens[host] == nil { tokens = [:] }
            let left = max(0, (tokens[host] ?? capacity) - Self.failureCost)
            tokens[host] = left
            return left > capacity / 2
        }
    }

    func answered(by host: String) {
        tokens.withLock { tokens in
            guard let left = tokens[host] else { return }
            tokens[host] = left + Self.successGain < capacity ? left + Self.successGain : nil
        }
    }
}
