public import SpyglassCaching

/// Makes fetches again that failed for a reason that may have passed, and goes on where a transfer broke off.
///
///     let transport = RetryingTransport(CurlTransport())
///
/// What is made again: answers of 429, 500, 502, 503 and 504, connections that broke, and transfers without progress.
/// Everything else, a name that is not found and a refused connection among it, is handed out as it is. The wait before
/// a repetition is random, up to 1 s and then up to 2 s, twice as long with each; `Retry-After` is obeyed up to 60 s,
/// and an answer that asks for longer is handed out. A wait holds no connection, and cancelling the task ends it at
/// once. A request that `hasFallback` is made again once at most, within a second; and a host that fails everybody (five times
/// more often than it answers) gets one try for each fetch until it is well again. Nothing is remembered of an
/// address that failed but 404 and 410, for 60 s; a request that `revalidates` asks all the same.
///
/// Where a success breaks off whose server gave a strong validator, only the rest is asked for (`Range`, `If-Range`)
/// and joined; a rest of anything else is never taken. The whole is a 200 like any other and obeys the request's limit;
/// while it is joined, both parts are in memory. After the last try the error carries the longest part that has come.
public final class RetryingTransport: Transport {
    private let base: any Transport
    private let rule: RetryPolicy
    private let resumes: Bool
    private let time: ElapsedClock
    private let now: @Sendable () -> WallTime
    private let onEvent: FetchEvent.Observer?
    private let memory = NegativeCache()
    private let budget: RetryBudget

    /// A transport that makes `base`'s fetches again.
    ///
    /// - Parameters:
    ///   - base: fetches once.
    ///   - retries: how many times a fetch is repeated at most.
    ///   - resumes: whether a transfer that broke off is gone on with; else it starts over. Recordings do not.
    ///   - clock: what waits and the 60 s of a 404 are measured on.
    ///   - now: the calendar, for a `Retry-After` that is a date.
    ///   - jitter: gives numbers from 0 to 1, by which waits are shortened.
    ///   - onEvent: told of every repetition, before its wait.
    public init(
        _ base: any Transport, retries: Int = 2, resumes: Bool = true,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> WallTime = WallTime.now,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }, onEvent: FetchEvent.Observer? = nil
    ) {
        self.base = base
        self.resumes = resumes
        rule = RetryPolicy(retries: max(0, retries), jitter: jitter)
        budget = RetryBudget(retries: max(0, retries))
        time = ElapsedClock(clock)
        self.now = now
        self.onEvent = onEvent
    }

    /// Fetches one address; see `Transport`.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        if !request.revalidates, let response = memory.answer(to: request, at: time.now()) {
            try Task.checkCancellation()
            return response
        }
        let response = try await fetchAgain(request)
        memory.note(response, to: request, at: time.now())
        return response
    }

    private func fetchAgain(_ request: FetchRequest) async throws -> FetchResponse {
        var request = request
        let relay = PartialBodyRelay.wrap(&request)
        var progress = PartialProgress(resumes: resumes)
        let errorRule = request.hasFallback ? rule.withFallback : rule
        let host = request.address.authority
        var made = 0
        while true {
            relay?.expect(progress.held)
            let delay: Duration
            let reason: String
            switch try await outcome(of: request, &progress) {
            case .answer(let response):
                budget.answered(by: host)
                return response
            case .startOver: continue
            case .failed(let response):
                let retryAfter = RetryAfter.delay(in: response.headers, now: now())
                // A cache gives out nothing in place of 429, so that is waited for.
                let rule = response.status == 429 ? rule : errorRule
                let mayRepeat = budget.mayRepeat(afterFailureOf: host)
                guard mayRepeat, let pause = rule.delay(afterRetries: made, retryAfter: retryAfter) else {
                    guard let error = progress.lastBreak else { return response }
                    throw progress.withLongestPart(error)
                }
                delay = pause
                reason = "the server answers \(response.status)"
            case .broke(let error):
                guard errorRule.isTransient(error), budget.mayRepeat(afterFailureOf: host),
                    let pause = errorRule.delay(afterRetries: made)
                else {
                    throw progress.withLongestPart(error)
                }
                delay = pause
                reason = error.description
            }
            made += 1
            onEvent?(
                .retrying(
                    request.address, attempt: made, delay: delay, offset: progress.held?.part.bodyLength ?? 0,
                    reason: reason))
            try await time.sleep(time.now() + delay)
        }
    }

    private enum Outcome {
        case answer(FetchResponse)
        case startOver
        case failed(FetchResponse)
        case broke(FetchError)
    }

    private func outcome(of request: FetchRequest, _ progress: inout PartialProgress) async throws -> Outcome {
        do {
            let response = try await base.fetch(progress.held?.request(resuming: request) ?? request)
            switch try progress.judge(response, to: request) {
            case .answer(let answer): return .answer(answer)
            case .startOver: return .startOver
            case .passing: return .failed(response)
            }
        } catch let error as FetchError {
            progress.take(error, of: request)
            return .broke(error)
        }
    }
}
