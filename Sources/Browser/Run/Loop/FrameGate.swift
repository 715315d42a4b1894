/// When a frame may go out: at most one is on its way to a terminal that answers.
///
/// Every frame ends with a question (`CSI 5 n`). A terminal that has answered one is waited for, one that never has, or has been
/// silent for longer than its bytes explain, only until it has taken all bytes. A pure value: times are durations since some start.
struct FrameGate {
    /// How long an answer is waited for, beyond what the bytes take on the slowest line that is reckoned with.
    static let patience = Duration.seconds(3)
    /// Bytes a second of that line: half of the 2 KB/s, since it may be shared.
    ///
    /// Over ssh such a line takes all bytes at once, into buffers that hold minutes of it: who goes on without its answers fills them.
    private static let slowestLine = 1024
    /// However much is on its way: an answer that is lost must not stop the screen for good.
    private static let longestWait = Duration.seconds(30)

    /// Whether the terminal has shown that it answers.
    private(set) var answers = false
    /// Questions without an answer.
    private var owed = 0
    /// Until when the answer to the last question is waited for.
    private var lastDeadline = Duration.zero

    /// Until when an answer is waited for; `nil` when none is.
    var deadline: Duration? { answers && owed > 0 ? lastDeadline : nil }

    /// Whether a frame may go out.
    func isOpen(isWriting: Bool) -> Bool { !isWriting && deadline == nil }

    /// A frame has been given to the terminal; of one that is known to be quick `bytes` count for nothing.
    mutating func sent(bytes: Int, at now: Duration) {
        // What is still on its way goes first.
        let begin = owed > 0 ? max(now, lastDeadline - Self.patience) : now
        owed += 1
        let end = begin + .seconds(Double(bytes) / Double(Self.slowestLine)) + Self.patience
        lastDeadline = min(end, now + Self.longestWait)
    }

    /// An answer has come; whether it is the one to the last frame.
    mutating func answered() -> Bool {
        answers = true
        // Answers to frames that were given up may still come.
        owed = max(owed - 1, 0)
        return owed == 0
    }

    /// Gives up what has been waited for too long.
    mutating func giveUp(at now: Duration) {
        guard let deadline, deadline <= now else { return }
        answers = false
        owed = 0
    }

    /// The terminal was away: what it owes will not come.
    mutating func reset() {
        owed = 0
    }
}
