package import SpyglassCaching
internal import SpyglassThreads

/// Retries temporary failures and resumes interrupted transfers.
///
///     let transport = RetryingTransport(CurlTransport())
///
/// It retries responses of 429, 500, 502, 503 and 504, lost connections and timeouts. Everything else
/// is returned as it is, such as unknown names and refused connections. Delays are random: up to 1 s at
/// first, twice as long with each retry, 30 s at most. `Retry-After` is obeyed up to 60 s; longer ones
/// are returned. A delay holds no connection, and cancellation ends it. A request for which something
/// stale is stored is retried once at most, within a second. A host that fails five times more often
/// than it succeeds gets no retries until it recovers.
///
/// If an interrupted response has a strong validator, only the rest is requested (`Range`, `If-Range`) and
/// joined. The result is a 200 within the request's limit; joining needs both parts in memory. After the last
/// retry the error carries the longest part.
public final class RetryingTransport: Transport {
    private let base: any Transport
    private let policy: RetryPolicy
    private let resumes: Bool
    private let time: ElapsedClock
    private let now: @Sendable () -> WallTime
    private let onEvent: FetchEvent.Observer?
    private let budget: RetryBudget

    /// Wraps `base`, with a clock for delays, a calendar for a `Retry-After` with a date, and numbers from 0 to 1 that shorten delays.
    package init(
        _ base: any Transport, retries: Int = 2, resumes: Bool = true,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> WallTime,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }, onEvent: FetchEvent.Observer? = nil
    ) {
        self.base = base
        self.resumes = resumes
        policy = RetryPolicy(retries: max(0, retries), jitter: jitter)
        budget = RetryBudget(retries: max(0, retries))
        time = ElapsedClock(clock)
        self.now = now
        self.onEvent = onEvent
    }

    /// Wraps a transport that fetches once.
    ///
    /// - Parameters:
    ///   - base: fetches once.
    ///   - retries: the maximum number of retries of a fetch.
    ///   - resumes: whether interrupted transfers resume; otherwise they start over, as recordings need.
    ///   - onEvent: notified of every retry, before its delay.
    public convenience init(
        _ base: any Transport, retries: Int = 2, resumes: Bool = true, onEvent: FetchEvent.Observer? = nil
    ) {
        self.init(base, retries: retries, resumes: resumes, now: WallTime.now, onEvent: onEvent)
    }

    /// Fetches one address; see `Transport`.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await request.countingMemory(fetchAgain)
    }

    private func fetchAgain(_ request: FetchRequest) async throws -> FetchResponse {
        var request = request
        let relay = PartialBodyRelay.wrap(&request)
        var progress = PartialProgress(resumes: resumes)
        var errorPolicy = policy
        errorPolicy.hasFallback = request.hasFallback
        let host = request.address.authority
        var made = 0
        while true {
            relay?.expect(progress.partialBody)
            let delay: Duration
            let reason: String
            var requested: Duration?
            let result: Result<PartialProgress.Verdict, FetchError>
            do {
                let response = try await base.fetch(progress.partialBody?.request(resuming: request) ?? request)
                result = .success(try progress.check(response, to: request))
            } catch let error as FetchError {
                progress.record(error, of: request)
                result = .failure(error)
            }
            switch result {
            case .success(.response(var response)):
                // Two parts may have the key together.
                response.hide(request.secret)
                budget.answered(by: host)
                return response
            case .success(.startOver): continue
            case .success(.failed(let response)):
                let retryAfter = RetryAfter.delay(in: response.headers, now: now())
                // Caches do not replace 429 by a stale response.
                let policy = response.status == 429 ? policy : errorPolicy
                let mayRepeat = budget.mayRepeat(afterFailureOf: host)
                guard mayRepeat, let pause = policy.delay(afterRetries: made, retryAfter: retryAfter) else {
                    guard let error = progress.lastError else { return response }
                    throw progress.withLongestPart(error)
                }
                delay = pause
                reason = "HTTP status \(response.status)"
                requested = retryAfter
            case .failure(let error):
                request.spentBodyTime += error.bodyTime
                guard errorPolicy.isTransient(error), budget.mayRepeat(afterFailureOf: host),
                    let pause = errorPolicy.delay(afterRetries: made)
                else { throw progress.withLongestPart(error) }
                delay = pause
                reason = error.description
            }
            made += 1
            onEvent?(
                .retrying(
                    request.address, attempt: made, delay: delay, requested: requested,
                    offset: progress.partialBody?.part.bodyLength ?? 0, reason: reason))
            try await time.sleep(time.now() + delay)
        }
    }
}

/// Decides which failures are retried, and after what delay.
///
/// The delay is random ("full jitter"): from 0 to `baseDelay` times 2 to the number of retries, `maxDelay` at most. A requested
/// delay is extended by at most `baseDelay`.
package struct RetryPolicy: Sendable {
    var retries: Int
    /// Whether something stale can be served: then one retry without a requested delay, and none after a timeout.
    var hasFallback = false
    /// Returns 0 to 1.
    var jitter: @Sendable () -> Double

    static let baseDelay = Duration.seconds(1)
    /// Longer requested delays end the retries.
    private static let maxRetryAfter = Duration.seconds(60)
    /// Twice the time a load balancer needs to detect a dead server (10 to 15 s by default in nginx and AWS).
    static let maxDelay = Duration.seconds(30)

    /// RFC 9110 section 15.6, RFC 6585 section 4.
    package static func isTransient(status: Int) -> Bool { [429, 500, 502, 503, 504].contains(status) }

    /// Lost connections and timeouts other than a deadline; not unknown names and refused connections, so that nothing waits when offline.
    func isTransient(_ error: FetchError) -> Bool {
        switch error.kind {
        case .timedOut: !hasFallback && error.exceededLimit != .deadline
        case .unreachable: error.isConnectionLost || error.partialResponse != nil
        default: false
        }
    }

    /// The delay before the next retry; `nil` to give up.
    func delay(afterRetries made: Int, retryAfter: Duration? = nil) -> Duration? {
        guard made < (hasFallback ? min(retries, 1) : retries),
            retryAfter ?? .zero <= (hasFallback ? .zero : Self.maxRetryAfter)
        else { return nil }
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
    static func delay(in headers: HeaderFields, now: WallTime) -> Duration? {
        guard let text = headers["Retry-After"] else { return untilReset(in: headers) }
        if let seconds = DeltaSeconds.parse(text) { return .seconds(seconds) }
        return HTTPDate.parse(text, now: now).map { max(.zero, now.duration(to: $0)) }
    }

    /// The time until the request limit that Tumblr reports as exhausted is reset.
    private static func untilReset(in headers: HeaderFields) -> Duration? {
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
