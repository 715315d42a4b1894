/// The number of concurrent transfers to one host, adapted to its responses; durations count from any start.
///
/// - **Refusal** (429, 503): halves the concurrent transfers, at least to one. Nothing is sent for `Retry-After` (at most a
///   minute), else for a delay that doubles with each refusal. Responses to requests sent before a change are ignored.
/// - **Slowness**: the fastest of the last responses (8, or twice the limit) begins four times later than the best ever, plus 200
///   ms, and throughput has not grown. The limit is cut by a quarter, on trial. It is restored if responses do not begin a fifth
///   sooner; this slowness is then the norm. The limit stays at least two.
/// - **Recovery**: as many successes as the limit raise it by one. The step to a refused limit needs eight times as many.
struct HostConcurrencyLimit: Sendable {
    struct Response: Sendable {
        var status: Int
        var sent: Duration
        var headReceived: Duration
        var ended: Duration
        var bytes: Int
        /// Concurrent transfers of the host at the end, with this one.
        var concurrentTransfers: Int
        var retryAfter: Duration?
    }

    /// The delay after a refusal without `Retry-After`, and the maximum it doubles to.
    static let shortestPause = Duration.milliseconds(250)
    static let maxOwnPause = Duration.seconds(1)
    /// Limits a mistaken `Retry-After`.
    static let maxPause = Duration.seconds(60)
    static let minResponses = 8
    /// With one transfer, one slow response would delay all others.
    static let minForSlowness = 2
    static let refusedStepFactor = 8

    private struct Window {
        var count = 0
        var bytes = 0
        var start: Duration?
        var fastest: Duration?
        var hasSlowness = false

        func bytesPerSecond(at now: Duration) -> Double {
            let span = start.map { (now - $0) / .seconds(1) } ?? 0
            return Double(bytes) / max(span, 0.000_001)
        }
    }

    private(set) var maximum: Int
    private(set) var limit: Int
    private(set) var pausedUntil: Duration?
    private var successes = 0
    private var refusedLimit: Int?
    private var refusalsInARow = 0
    /// Responses to earlier requests are about another limit.
    private var countedFrom = Duration.zero
    private var window = Window()
    private var bestStart: Duration?
    private var lastBytesPerSecond: Double?
    private var trial: (limitBefore: Int, fastestBefore: Duration)?

    init(maximum: Int) {
        self.maximum = max(1, maximum)
        limit = self.maximum
    }

    var isUnreduced: Bool { limit == maximum && pausedUntil == nil }

    func capacity(at now: Duration) -> Int { (pausedUntil ?? now) > now ? 0 : limit }

    mutating func setMaximum(_ maximum: Int) {
        limit = limit == self.maximum ? max(1, maximum) : min(limit, max(1, maximum))
        self.maximum = max(1, maximum)
    }

    /// Whether a delay has ended; forgets it.
    mutating func endPause(at now: Duration) -> Bool {
        guard let end = pausedUntil, end <= now else { return false }
        pausedUntil = nil
        return true
    }

    mutating func record(_ response: Response) {
        let isCurrent = response.sent >= countedFrom
        switch response.status {
        case 429, 503: refused(response, isCurrent)
        case ..<500 where isCurrent:
            refusalsInARow = 0
            evaluate(response)
            grow()
        default: break
        }
    }

    private mutating func refused(_ response: Response, _ isCurrent: Bool) {
        if isCurrent {
            refusedLimit = min(limit, response.concurrentTransfers)
            setLimit(min(limit, response.concurrentTransfers) / 2, at: response.ended)
            trial = nil
        }
        guard isCurrent || response.retryAfter != nil else { return }
        let own = Self.shortestPause * (1 << min(refusalsInARow, 5))
        let asked = response.retryAfter.map { min(max($0, .zero), Self.maxPause) }
        let end = response.ended + (asked ?? min(own, Self.maxOwnPause))
        pausedUntil = max(pausedUntil ?? end, end)
        if isCurrent { refusalsInARow += 1 }
    }

    private mutating func evaluate(_ response: Response) {
        let start = response.headReceived - response.sent
        window.count += 1
        window.bytes += response.bytes
        window.start = min(window.start ?? response.sent, response.sent)
        window.fastest = min(window.fastest ?? start, start)
        bestStart = min(bestStart ?? start, start)
        if isSlow(start) { window.hasSlowness = true }
        guard window.count >= max(Self.minResponses, 2 * limit), let fastest = window.fastest else { return }
        let bytesPerSecond = window.bytesPerSecond(at: response.ended)
        defer {
            lastBytesPerSecond = bytesPerSecond
            window = Window()
        }
        if let trial {
            self.trial = nil
            // Less than a fifth sooner does not justify the cut.
            guard fastest * 5 > trial.fastestBefore * 4 else { return }
            bestStart = fastest
            setLimit(trial.limitBefore, at: response.ended)
        } else if isSlow(fastest), limit > Self.minForSlowness, let last = lastBytesPerSecond,
            bytesPerSecond <= last * 1.1
        {
            trial = (limit, fastest)
            setLimit(max(Self.minForSlowness, limit * 3 / 4), at: response.ended)
        }
    }

    private func isSlow(_ start: Duration) -> Bool {
        guard let bestStart else { return false }
        return start > bestStart * 4 + .milliseconds(200)
    }

    private mutating func grow() {
        guard trial == nil, limit < maximum, !window.hasSlowness else {
            successes = 0
            return
        }
        successes += 1
        let isRefusedStep = refusedLimit == limit + 1
        guard successes >= limit * (isRefusedStep ? Self.refusedStepFactor : 1) else { return }
        if let refusedLimit, limit >= refusedLimit { self.refusedLimit = nil }
        limit += 1
        successes = 0
    }

    private mutating func setLimit(_ limit: Int, at now: Duration) {
        self.limit = min(max(1, limit), maximum)
        successes = 0
        countedFrom = now
        window = Window()
    }
}
