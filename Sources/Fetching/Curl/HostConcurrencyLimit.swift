/// How many transfers at once one host is given: as many as are allowed while it answers well, fewer when it says that it is
/// too much, or shows it.
///
/// - **It says so**: 429 or 503. The allowance becomes half of what was under way, at least one, and nothing more is sent for
///   as long as `Retry-After` says (at most a minute), else for a moment that doubles with every refusal in a row. What was
///   sent before a change is no verdict on it: several refusals of one burst halve once.
/// - **It shows it**: even the fastest of the last answers (8, or twice the allowance) took four times as long to begin as the best
///   ever, and 200 ms more, while no more bytes came in a second than before. A quarter is taken away, as a trial: if the
///   host's answers do not begin a fifth sooner then, their slowness has another reason, the allowance is as before,
///   and slow is what the host is from then on. Below two it does not go for slowness.
/// - **It is well again**: after as many good answers as the allowance is, it grows by one, up to the maximum. The step to where
///   the host last refused takes eight times as many, so that a host with a fixed limit is seldom made to repeat it.
///
/// So answers that merely vary change nothing. A pure value: moments are given, counted from any start.
struct HostConcurrencyLimit: Sendable {
    /// One answer, as far as it matters here.
    struct Answer: Sendable {
        var status: Int
        /// When the request went out, when the head of the answer was here, and when all of it.
        var sent: Duration
        var headCame: Duration
        var ended: Duration
        var bytes: Int
        /// How many transfers the host had when it ended, this one included.
        var underWay: Int
        /// What the host asks to wait for.
        var retryAfter: Duration?
    }

    /// The pause after a refusal without `Retry-After`: some round trips; and what it doubles up to.
    static let shortestPause = Duration.milliseconds(250)
    static let maxOwnPause = Duration.seconds(1)
    /// What a host can ask for at most, so that a mistaken date does not hold everything up for a day.
    static let maxPause = Duration.seconds(60)
    /// The fewest answers that slowness is judged by.
    static let minJudged = 8
    /// What a trial leaves alone: below two, one slow answer would hold up all others.
    static let minForSlowness = 2
    /// How many times more good answers the step to a refused allowance takes.
    static let cautionFactor = 8

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

    /// The most there may ever be.
    private(set) var maximum: Int
    /// How many there may be.
    private(set) var limit: Int
    /// Until when nothing is sent.
    private(set) var pausedUntil: Duration?
    private var goodAnswers = 0
    private var refusedLimit: Int?
    private var refusalsInARow = 0
    /// Answers to what was sent before are about another allowance.
    private var judgedFrom = Duration.zero
    private var window = Window()
    private var bestStart: Duration?
    private var lastBytesPerSecond: Double?
    private var trial: (limitBefore: Int, fastestBefore: Duration)?

    /// All that is allowed.
    init(maximum: Int) {
        self.maximum = max(1, maximum)
        limit = self.maximum
    }

    /// Whether there is nothing to remember: all is allowed.
    var isWhole: Bool { limit == maximum && pausedUntil == nil }

    /// How many transfers there may be at this moment.
    func room(at now: Duration) -> Int { (pausedUntil ?? now) > now ? 0 : limit }

    /// The host takes more (or fewer) than was thought: a whole allowance stays whole.
    mutating func setMaximum(_ maximum: Int) {
        limit = limit == self.maximum ? max(1, maximum) : min(limit, max(1, maximum))
        self.maximum = max(1, maximum)
    }

    /// A pause that has gone by is forgotten; whether one has.
    mutating func endPause(at now: Duration) -> Bool {
        guard let end = pausedUntil, end <= now else { return false }
        pausedUntil = nil
        return true
    }

    /// Learns from an answer.
    mutating func take(_ answer: Answer) {
        let isAboutThis = answer.sent >= judgedFrom
        switch answer.status {
        case 429, 503: refused(answer, isAboutThis)
        case ..<500 where isAboutThis:
            refusalsInARow = 0
            judge(answer)
            grow()
        default: break
        }
    }

    private mutating func refused(_ answer: Answer, _ isAboutThis: Bool) {
        if isAboutThis {
            refusedLimit = min(limit, answer.underWay)
            setLimit(min(limit, answer.underWay) / 2, at: answer.ended)
            trial = nil
        }
        guard isAboutThis || answer.retryAfter != nil else { return }
        let own = Self.shortestPause * (1 << min(refusalsInARow, 5))
        let asked = answer.retryAfter.map { min(max($0, .zero), Self.maxPause) }
        let end = answer.ended + (asked ?? min(own, Self.maxOwnPause))
        pausedUntil = max(pausedUntil ?? end, end)
        if isAboutThis { refusalsInARow += 1 }
    }

    private mutating func judge(_ answer: Answer) {
        let start = answer.headCame - answer.sent
        window.count += 1
        window.bytes += answer.bytes
        window.start = min(window.start ?? answer.sent, answer.sent)
        window.fastest = min(window.fastest ?? start, start)
        bestStart = min(bestStart ?? start, start)
        if isSlow(start) { window.hasSlowness = true }
        guard window.count >= max(Self.minJudged, 2 * limit), let fastest = window.fastest else { return }
        let bytesPerSecond = window.bytesPerSecond(at: answer.ended)
        defer {
            lastBytesPerSecond = bytesPerSecond
            window = Window()
        }
        if let trial {
            self.trial = nil
            // A fifth sooner, or it was not worth it.
            guard fastest * 5 > trial.fastestBefore * 4 else { return }
            bestStart = fastest
            setLimit(trial.limitBefore, at: answer.ended)
        } else if isSlow(fastest), limit > Self.minForSlowness, let last = lastBytesPerSecond,
            bytesPerSecond <= last * 1.1
        {
            trial = (limit, fastest)
            setLimit(max(Self.minForSlowness, limit * 3 / 4), at: answer.ended)
        }
    }

    private func isSlow(_ start: Duration) -> Bool {
        guard let bestStart else { return false }
        return start > bestStart * 4 + .milliseconds(200)
    }

    private mutating func grow() {
        guard trial == nil, limit < maximum, !window.hasSlowness else {
            goodAnswers = 0
            return
        }
        goodAnswers += 1
        let isCareful = refusedLimit == limit + 1
        guard goodAnswers >= limit * (isCareful ? Self.cautionFactor : 1) else { return }
        if let refusedLimit, limit >= refusedLimit { self.refusedLimit = nil }
        limit += 1
        goodAnswers = 0
    }

    private mutating func setLimit(_ limit: Int, at now: Duration) {
        self.limit = min(max(1, limit), maximum)
        goodAnswers = 0
        judgedFrom = now
        window = Window()
    }
}
