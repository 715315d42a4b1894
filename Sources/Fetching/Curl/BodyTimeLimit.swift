/// How long a body may take from its first byte, without pauses of our own: a deadline, or a minimum rate for one that is saved.
struct BodyTimeLimit {
    /// Limit of the whole body, or the interval of one measurement of its rate.
    private(set) var duration = Duration.zero
    /// Bytes that each `duration` must bring; `nil`: the body must end within it.
    private(set) var minBytes: Int?
    /// The first byte, or the start of the current measurement; later by every pause.
    private var start: Duration?
    private var countAtStart = 0
    private var pausedAt: Duration?

    /// Evens out bursts and short interruptions.
    static let rateInterval = Duration.seconds(60)

    init() {}

    /// Inlined: otherwise the caller copies both.
    @inline(__always)
    init(_ request: FetchRequest, _ settings: CurlSettings) {
        minBytes = request.usesMinRate ? settings.minRate * Int(Self.rateInterval.components.seconds) : nil
        // Not zero, which would be checked without end before the first byte.
        duration = request.usesMinRate ? Self.rateInterval : max(settings.deadline - request.spentBodyTime, .seconds(1))
    }

    var isRunning: Bool { start != nil }

    mutating func begin(at now: Duration) { start = now }

    mutating func pause(at now: Duration) { if pausedAt == nil { pausedAt = now } }

    mutating func unpause(at now: Duration) {
        if let pausedAt, let start { self.start = start + (now - pausedAt) }
        pausedAt = nil
    }

    func elapsed(at now: Duration) -> Duration { start.map { max((pausedAt ?? now) - $0, .zero) } ?? .zero }

    /// The latest time of the next check; `nil` if the body takes too long.
    mutating func nextCheck(at now: Duration, received: Int) -> Duration? {
        guard let start, pausedAt == nil else { return now + duration }
        guard start + duration <= now else { return start + duration }
        guard let minBytes, received - countAtStart >= minBytes else { return nil }
        (self.start, countAtStart) = (now, received)
        return now + duration
    }

    func error(at address: WebAddress, _ settings: CurlSettings) -> FetchError {
        guard minBytes == nil else {
            return FetchError(
                .timedOut,
                "\(address.shown): less than \(settings.minRate) bytes a second for \(Self.rateInterval.components.seconds) s",
                exceededLimit: .rate)
        }
        return FetchError(
            .timedOut, "\(address.shown): not complete after \(settings.deadline.components.seconds) s",
            exceededLimit: .deadline)
    }
}
