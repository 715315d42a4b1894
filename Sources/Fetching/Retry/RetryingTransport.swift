package import SpyglassCaching

/// Retries temporary failures and resumes interrupted transfers.
///
///     let transport = RetryingTransport(CurlTransport())
///
/// It retries responses of 429, 500, 502, 503 and 504, lost connections and timeouts. Everything else is returned as it is, such as
/// unknown names and refused connections. Delays are random, at first up to 1 s, doubling with each retry. `Retry-After` is obeyed
/// up to 60 s; longer ones are returned. A delay holds no connection, and cancellation ends it. A request that `hasFallback` is
/// retried once at most, within a second. A host that fails five times more often than it succeeds gets no retries until it
/// recovers. 404 and 410 are remembered for 60 s, except for requests that `revalidates`.
///
/// If an interrupted response has a strong validator, only the rest is requested (`Range`, `If-Range`) and joined. The result is a
/// 200 within the request's limit; joining needs both parts in memory. After the last retry the error carries the longest part.
public final class RetryingTransport: Transport {
    private let base: any Transport
    private let policy: RetryPolicy
    private let resumes: Bool
    private let time: ElapsedClock
    private let now: @Sendable () -> WallTime
    private let onEvent: FetchEvent.Observer?
    private let memory = NegativeCache()
    private let budget: RetryBudget

    /// Wraps `base`.
    ///
    /// - Parameters:
    ///   - base: fetches once.
    ///   - retries: the maximum number of retries of a fetch.
    ///   - resumes: whether interrupted transfers resume; otherwise they start over, as recordings need.
    ///   - clock: measures delays and the 60 s of a 404.
    ///   - now: the calendar, for a `Retry-After` with a date.
    ///   - jitter: returns numbers from 0 to 1 that shorten delays.
    ///   - onEvent: notified of every retry, before its delay.
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
        if !request.revalidates, let response = memory.response(to: request, at: time.now()) {
            try Task.checkCancellation()
            return response
        }
        let response = try await request.countingMemory(fetchAgain)
        memory.note(response, to: request, at: time.now())
        return response
    }

    private func fetchAgain(_ request: FetchRequest) async throws -> FetchResponse {
        var request = request
        let relay = PartialBodyRelay.wrap(&request)
        var progress = PartialProgress(resumes: resumes)
        let errorPolicy = request.hasFallback ? policy.withFallback : policy
        let host = request.address.authority
        var made = 0
        while true {
            relay?.expect(progress.partialBody)
            let delay: Duration
            let reason: String
            var requested: Duration?
            switch try await outcome(of: request, &progress) {
            case .response(var response):
                // Two parts may have the key together.
                response.hide(request.secret)
                budget.answered(by: host)
                return response
            case .startOver: continue
            case .failed(let response):
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
            case .interrupted(let error):
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

    private enum Outcome {
        case response(FetchResponse)
        case startOver
        case failed(FetchResponse)
        case interrupted(FetchError)
    }

    private func outcome(of request: FetchRequest, _ progress: inout PartialProgress) async throws -> Outcome {
        do {
            let response = try await base.fetch(progress.partialBody?.request(resuming: request) ?? request)
            switch try progress.check(response, to: request) {
            case .response(let response): return .response(response)
            case .startOver: return .startOver
            case .failed: return .failed(response)
            }
        } catch let error as FetchError {
            progress.record(error, of: request)
            return .interrupted(error)
        }
    }
}
