/// When a frame may go out: at most one is on its way to a terminal that answers.
///
/// Every frame ends with a question (`CSI 5 n`). A terminal that has answered one is waited for, one that never has, or has been
/// silent for `patience`, only until it has taken all bytes. A pure value: times are durations since some start.
struct FrameGate {
    /// How long an answer is waited for.
    static let patience = Duration.seconds(3)

    /// Whether the terminal has shown that it answers.
    private(set) var answers = false
    /// Questions without an answer.
    private var owed = 0
    /// When the last question was sent.
    private var sentAt = Duration.zero

    /// Until when an answer is waited for; `nil` when none is.
    var deadline: Duration? { answers && owed > 0 ? sentAt + Self.patience : nil }

    /// Whether a frame may go out.
    func isOpen(isWriting: Bool) -> Bool { !isWriting && deadline == nil }

    /// A frame has been given to the terminal.
    mutating func sent(at now: Duration) {
        owed += 1
        sentAt = now
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
