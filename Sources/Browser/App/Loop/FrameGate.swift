/// Decides when a frame may be sent to a terminal that replies: after the reply to the one before, or, to answer a key on a
/// line with a known rate, when that should have been carried.
///
/// Every frame ends with a status query (`CSI 5 n`). Once a terminal has replied, the gate waits for each reply, up to a timeout.
/// For a silent terminal it waits only until all bytes are written. An unknown terminal first gets a few bytes and time to reply:
/// buffers in between would hide a slow line. A pure value; times are durations since some start.
struct FrameGate {
    /// The timeout of a reply, beyond the time of the bytes at `minBandwidth`.
    static let replyTimeout = Duration.seconds(3)
    /// Bytes per second: half of the supported 2 KB/s, since a line may be shared; over ssh, buffers hide it.
    private static let minBandwidth = 1024
    /// A lost reply must not stop the screen for longer.
    private static let maxWait = Duration.seconds(30)
    /// Bytes of a frame around its rows, at most.
    static let overhead = 128
    /// Bytes sent to an unknown terminal: the text of a screen, a second at 2 KB/s.
    private static let trialBytes = 2048
    /// The timeout of its first reply; a good line around the world needs a third.
    private static let trialTime = Duration.seconds(1)

    private enum Responsiveness: Hashable {
        /// Bytes sent so far, since the first of them.
        case unknown(bytes: Int, since: Duration?)
        case replies
        case silent
    }

    private var responsiveness = Responsiveness.unknown(bytes: 0, since: nil)
    private var pendingReplies = 0
    private var lastDeadline = Duration.zero
    /// Whether everything in flight is of pixels or an animation: then a frame for a key does not wait.
    private var yields = false
    /// When the line should have carried all frames in flight; `nil` if its rate is unknown.
    private var carriedAt: Duration?
    /// A line that has become slower must not be flooded.
    private static let maxInFlight = 4

    var isSilent: Bool { responsiveness == .silent }

    var deadline: Duration? {
        switch responsiveness {
        case .replies: pendingReplies > 0 ? lastDeadline : nil
        case .unknown(let bytes, let since?): bytes >= Self.trialBytes ? since + Self.trialTime : nil
        case .unknown, .silent: nil
        }
    }

    /// Whether a frame may be sent; one that yields waits for everything in flight.
    func isOpen(isWriting: Bool, yields: Bool = false, at now: Duration = .zero) -> Bool {
        self.yields && !yields || !isWriting && (opening(yields: yields).map { $0 <= now } ?? true)
    }

    /// When a frame may be sent at last; `nil` if nothing in flight hinders it.
    func opening(yields: Bool) -> Duration? {
        guard let deadline, let carriedAt, !yields, pendingReplies < Self.maxInFlight else { return deadline }
        return min(carriedAt, deadline)
    }

    /// Whether the next frame follows others that are not replied to, beyond pixels.
    var isFollowing: Bool { pendingReplies > 0 && !yields }

    /// Records a frame; `bytes` is 0 for a fast terminal, and `time` what the line takes to carry it, if that is known.
    mutating func sent(bytes: Int, at now: Duration, yields: Bool = false, time: Duration? = nil) {
        self.yields = yields
        carriedAt = time.map { max(carriedAt ?? now, now) + $0 }
        if case .unknown(let before, let since) = responsiveness {
            responsiveness = .unknown(bytes: before + bytes, since: since ?? now)
        }
        // Frames in flight arrive first.
        let begin = pendingReplies > 0 ? max(now, lastDeadline - Self.replyTimeout) : now
        pendingReplies += 1
        let end = begin + .seconds(Double(bytes) / Double(Self.minBandwidth)) + Self.replyTimeout
        lastDeadline = min(end, now + Self.maxWait)
    }

    /// Records a reply; returns whether it is that to the last frame.
    mutating func replied() -> Bool {
        responsiveness = .replies
        // A reply may come after its timeout.
        pendingReplies = max(pendingReplies - 1, 0)
        if pendingReplies == 0 { reset() }
        return pendingReplies == 0
    }

    /// Stops waiting after the deadline; returns whether it did.
    @discardableResult
    mutating func giveUp(at now: Duration) -> Bool {
        guard let deadline, deadline <= now else { return false }
        responsiveness = .silent
        reset()
        return true
    }

    /// Stops waiting for replies, as for those that are lost while the program is stopped.
    mutating func reset() {
        pendingReplies = 0
        (yields, carriedAt) = (false, nil)
    }
}
