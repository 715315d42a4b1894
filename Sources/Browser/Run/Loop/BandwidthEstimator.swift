/// Measures how fast a terminal takes frames, and decides what they may cost.
///
/// A pure value: times are durations since some start. What counts is the way of a frame and its answer; of a terminal that does not
/// answer, until it has taken the bytes.
struct BandwidthEstimator {
    /// The largest piece of a repaint on a terminal that is slow: 8 KB with all around the rows.
    static let pieceBytes = 8000
    /// The first piece on a terminal that is not known: enough to measure it by, and at 2 KB/s shown in less than a second.
    static let firstPieceBytes = 1536
    /// How long a piece is on its way, where rows are short enough: so long a key waits to be seen, and somebody who quits.
    private static let pieceTime = Duration.milliseconds(600)
    /// How far a colour's channels may be off in fast frames: 2.4 times fewer bytes at 40 dB (`notes/terminals.md`, section 2).
    static let fastTolerance: UInt8 = 8
    /// Without anything new for so long, what is on the screen is made exact.
    static let idleTime = Duration.milliseconds(500)
    /// A full repaint that takes longer is felt as waiting, so that frames become fast; below half of it they are exact again.
    private static let slow = Duration.milliseconds(200)
    private static let quick = Duration.milliseconds(100)
    /// Bytes of a cell in a full repaint of a list: a quarter of it pictures of 35 bytes, the rest text (measured).
    private static let bytesPerCell = 10
    /// Shorter frames tell the delay of the way, and nothing of its width; on a slow line that may be said of a quarter of a piece.
    private static let tellingBytes = 1024
    private var tellingBytes: Int { isSlow ? min(Self.tellingBytes, (byteLimit ?? 0) / 4) : Self.tellingBytes }

    let fidelity: Fidelity
    /// Whether a full repaint would take too long.
    private(set) var isSlow = false
    /// Whether anything telling has been measured.
    private(set) var isMeasured = false
    /// The way there and back of frames that take no time themselves.
    private var delay: Duration?
    /// Bytes and time of telling frames, half of it the newest's: the speed of a line changes, and one hiccup is not a slow line.
    private var telling = (bytes: 0, time: Duration.zero)
    private var pending: (bytes: Int, since: Duration)?

    init(fidelity: Fidelity) { self.fidelity = fidelity }

    /// The tolerance of frames that show something moving.
    var tolerance: UInt8 {
        switch fidelity {
        case .auto: isSlow ? Self.fastTolerance : 0
        case .exact: 0
        case .fast: Self.fastTolerance
        }
    }

    /// Whether exact frames follow fast ones once nothing moves.
    var sharpens: Bool { fidelity == .auto }

    /// The most bytes of a frame's rows; `nil` where a whole screen is a matter of moments.
    var byteLimit: Int? {
        guard isMeasured else { return Self.firstPieceBytes }
        return isSlow ? Int(min(Self.pieceTime / timePerByte, Double(Self.pieceBytes))) : nil
    }

    /// What a byte takes; of what came before the delay was known the delay is a part, too.
    private var timePerByte: Duration { max(telling.time - (delay ?? .zero), .zero) / max(telling.bytes, 1) }

    /// A frame has been given to the terminal.
    mutating func sent(bytes: Int, at now: Duration) {
        let earlier = pending?.bytes ?? 0
        pending = (earlier + bytes, pending?.since ?? now)
    }

    /// The terminal has shown, or at least taken, what it was sent.
    mutating func arrived(at now: Duration, cells: Int) {
        guard let (bytes, since) = pending else { return }
        pending = nil
        let time = max(now - since, .zero)
        if bytes < tellingBytes {
            delay = delay.map { time < $0 ? time : ($0 + time) / 2 } ?? time
        } else {
            telling = isMeasured ? ((telling.bytes + bytes) / 2, (telling.time + time) / 2) : (bytes, time)
            isMeasured = true
        }
        guard isMeasured else { return }
        let repaint = timePerByte * (cells * Self.bytesPerCell)
        if repaint > Self.slow {
            isSlow = true
        } else if repaint < Self.quick {
            isSlow = false
        }
    }

    /// What is on its way will not be heard of.
    mutating func reset() { pending = nil }
}
