/// When a frame may go out: at most one is on its way to a terminal that answers.
///
/// Every frame ends with a question (`CSI 5 n`). A terminal that has answered one is waited for, one that is silent for longer than its
/// bytes explain, only until it has taken all bytes. One that nothing is known of gets a few bytes at once, and more when it has answered
/// or its time for that is over: buffers on the way to it would take a whole screen and say nothing of a slow line behind them. A pure value:
/// times are durations since some start.
struct FrameGate {
    /// How long an answer is waited for, beyond what the bytes take on the slowest line that is reckoned with.
    static let patience = Duration.seconds(3)
    /// Bytes a second of that line: half of the 2 KB/s that Spyglass promises to bear, since a line may be shared.
    ///
    /// Over ssh such a line takes all bytes at once, into buffers that hold minutes of it: who goes on without its answers fills them.
    private static let slowestLine = 1024
    /// However much is on its way: an answer that is lost must not stop the screen for good.
    private static let maxWait = Duration.seconds(30)

    /// What goes out at once to a terminal that nothing is known of: the text of a screen, and at 2 KB/s a second.
    private static let trialBytes = 2048
    /// How long such a terminal has for its first answer; over a good line to the other side of the world it is a third of that.
    private static let trialTime = Duration.seconds(1)

    /// What is known of the terminal.
    private enum Responsiveness: Hashable {
        /// Nothing, until `trialTime` is over: what it was sent so far, since when.
        case unknown(bytes: Int, since: Duration?)
        case answers
        case silent
    }

    private var responsiveness = Responsiveness.unknown(bytes: 0, since: nil)
    /// Questions without an answer.
    private var owed = 0
    /// Until when the answer to the last question is waited for.
    private var lastDeadline = Duration.zero

    /// Whether it does not answer, so that all that is known of frames is when they were taken.
    var isSilent: Bool { responsiveness == .silent }

    /// Until when an answer is waited for; `nil` when none is.
    var deadline: Duration? {
        switch responsiveness {
        case .answers: owed > 0 ? lastDeadline : nil
        case .unknown(let bytes, let since?): bytes >= Self.trialBytes ? since + Self.trialTime : nil
        case .unknown, .silent: nil
        }
    }

    /// Whether a frame may go out.
    func isOpen(isWriting: Bool) -> Bool { !isWriting && deadline == nil }

    /// A frame has been given to the terminal; of one that is known to be quick `bytes` count for nothing.
    mutating func sent(bytes: Int, at now: Duration) {
        if case .unknown(let before, let since) = responsiveness {
            responsiveness = .unknown(bytes: before + bytes, since: since ?? now)
        }
        // What is still on its way goes first.
        let begin = owed > 0 ? max(now, lastDeadline - Self.patience) : now
        owed += 1
        let end = begin + .seconds(Double(bytes) / Double(Self.slowestLine)) + Self.patience
        lastDeadline = min(end, now + Self.maxWait)
    }

    /// An answer has come; whether it is the one to the last frame.
    mutating func answered() -> Bool {
        responsiveness = .answers
        // Answers to frames that were given up may still come.
        owed = max(owed - 1, 0)
        return owed == 0
    }

    /// Gives up what has been waited for too long; whether there was anything.
    @discardableResult
    mutating func giveUp(at now: Duration) -> Bool {
        guard let deadline, deadline <= now else { return false }
        responsiveness = .silent
        owed = 0
        return true
    }

    /// The terminal was away: what it owes will not come.
    mutating func reset() {
        owed = 0
    }
}
