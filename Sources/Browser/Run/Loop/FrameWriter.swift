internal import SpyglassFetching
internal import SpyglassTerminalUI

/// Brings states to the terminal: one frame at a time, whole where the terminal is quick, in pieces where it is not.
struct FrameWriter<Terminal: BrowserTerminal> {
    private let terminal: Terminal
    private let time: ElapsedClock
    private let usesScrollRegion: Bool
    private var gate = FrameGate()
    private var clock: BandwidthEstimator
    private var painter: Painter
    /// The frame on the screen, as far as it has been sent.
    private var lastFrame: BrowserFrame?
    /// Whether the screen may differ from the state.
    private var isDue = true
    /// Whether colours on the screen are only nearly the state's.
    private var isCoarse = false
    /// Whether what is painted now is to be exact, since nothing moves.
    private var isSharpening = false

    init(
        _ terminal: Terminal, _ time: ElapsedClock, traits: TerminalTraits, fidelity: Fidelity, usesScrollRegion: Bool
    ) {
        self.terminal = terminal
        self.time = time
        self.usesScrollRegion = usesScrollRegion
        clock = BandwidthEstimator(fidelity: fidelity)
        painter = Painter(size: traits.size, depth: traits.depth, usesScrollRegion: usesScrollRegion)
    }

    // MARK: What happens

    /// The state has changed.
    mutating func stateChanged() {
        isDue = true
        isSharpening = false
    }

    /// The terminal has answered the question at a frame's end.
    mutating func answered(_ traits: TerminalTraits) {
        if gate.answered() { clock.arrived(at: time.now(), cells: traits.size.columns * traits.size.rows) }
    }

    /// The terminal has taken everything.
    mutating func drained(_ traits: TerminalTraits) {
        guard gate.isSilent else { return }
        clock.arrived(at: time.now(), cells: traits.size.columns * traits.size.rows)
    }

    /// The terminal was away, and what it shows is not known.
    mutating func resumed() {
        gate.reset()
        clock.reset()
        repaint()
    }

    /// The screen is cleared with the next frame.
    mutating func repaint() {
        painter.forget()
        stateChanged()
    }

    /// What a click hits: what the user saw, even if the state has changed since.
    func target(at position: CellPosition) -> ClickTarget? { lastFrame?.target(at: position) }

    // MARK: What is done

    /// Sends a frame if one is due and may go out; sets the alarms that lead to the next.
    mutating func draw(_ traits: TerminalTraits, _ timer: inout LoopTimer, _ draw: () -> BrowserFrame) {
        guard isDue else { return }
        // Nobody will say when it arrived.
        if gate.giveUp(at: time.now()) { clock.reset() }
        guard gate.isOpen(isWriting: terminal.isWriting) else {
            if let deadline = gate.deadline { timer.set(.replyTimeout, at: deadline) }
            return
        }
        timer.clear(.replyTimeout)
        let drawn = draw()
        let grid = drawn.grid
        lastFrame = drawn
        if painter.depth != traits.depth {
            painter = Painter(size: grid.size, depth: traits.depth, usesScrollRegion: usesScrollRegion)
        }
        if painter.size != grid.size { painter.forget(size: grid.size) }
        painter.tolerance = isSharpening ? 0 : clock.tolerance
        let frame = painter.paint(grid, byteLimit: clock.byteLimit)
        isDue = !frame.isComplete && !frame.bytes.isEmpty
        if !frame.bytes.isEmpty {
            terminal.write(frame.bytes)
            let now = time.now()
            let bytes = frame.bytes.raw.count
            gate.sent(bytes: clock.byteLimit == nil ? 0 : bytes, at: now)
            clock.sent(bytes: bytes, at: now)
            if painter.tolerance > 0 { isCoarse = true }
        }
        if painter.tolerance == 0, frame.isComplete { isCoarse = false }
        timer.clear(.idle)
        if isCoarse, clock.sharpens, !isSharpening {
            timer.set(.idle, at: time.now() + BandwidthEstimator.idleTime)
        }
    }

    /// Nothing has moved for a while.
    mutating func sharpen() {
        guard isCoarse else { return }
        isSharpening = true
        isDue = true
    }
}
