internal import SpyglassFetching
package import SpyglassTerminalUI

/// Sends frames to the terminal: one at a time, in chunks if the terminal is slow.
struct FrameWriter<Terminal: BrowserTerminal> {
    private let terminal: Terminal
    private let time: ElapsedClock
    private let usesScrollRegion: Bool
    private var gate = FrameGate()
    private var bandwidth: BandwidthEstimator
    private var painter: Painter
    private var lastFrame: BrowserFrame?
    private var isDue = true
    private var isCoarse = false
    private var isSharpening = false

    init(
        _ terminal: Terminal, _ time: ElapsedClock, traits: TerminalTraits, fidelity: Fidelity, usesScrollRegion: Bool
    ) {
        self.terminal = terminal
        self.time = time
        self.usesScrollRegion = usesScrollRegion
        bandwidth = BandwidthEstimator(fidelity: fidelity)
        painter = Painter(size: traits.size, depth: traits.depth, usesScrollRegion: usesScrollRegion)
    }

    // MARK: Events

    mutating func stateChanged() {
        isDue = true
        isSharpening = false
    }

    mutating func replied(_ traits: TerminalTraits) {
        if gate.replied() { bandwidth.arrived(at: time.now(), cells: traits.size.columns * traits.size.rows) }
    }

    mutating func drained(_ traits: TerminalTraits) {
        guard gate.isSilent else { return }
        bandwidth.arrived(at: time.now(), cells: traits.size.columns * traits.size.rows)
    }

    /// The program was stopped and continues: the screen's content is unknown.
    mutating func resumed() {
        gate.reset()
        bandwidth.reset()
        repaint()
    }

    mutating func repaint() {
        painter.forget()
        stateChanged()
    }

    /// What a click hits: what the user saw, even if the state has changed since.
    func target(at position: CellPosition) -> ClickTarget? { lastFrame?.target(at: position) }

    // MARK: Drawing

    mutating func draw(_ traits: TerminalTraits, _ timer: inout LoopTimer, _ draw: () -> BrowserFrame) {
        guard isDue else { return }
        // The reply that would end the measurement is lost.
        if gate.giveUp(at: time.now()) { bandwidth.reset() }
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
        painter.tolerance = isSharpening ? 0 : bandwidth.tolerance
        let frame = painter.paint(grid, byteLimit: bandwidth.byteLimit)
        isDue = !frame.isComplete && !frame.bytes.isEmpty
        if !frame.bytes.isEmpty {
            terminal.write(frame.bytes)
            let now = time.now()
            let bytes = frame.bytes.raw.count
            gate.sent(bytes: bandwidth.byteLimit == nil ? 0 : bytes, at: now)
            bandwidth.sent(bytes: bytes, at: now)
            if painter.tolerance > 0 { isCoarse = true }
        }
        if painter.tolerance == 0, frame.isComplete { isCoarse = false }
        timer.clear(.idle)
        if isCoarse, bandwidth.sharpens, !isSharpening {
            timer.set(.idle, at: time.now() + BandwidthEstimator.idleTime)
        }
    }

    mutating func sharpen() {
        guard isCoarse else { return }
        isSharpening = true
        isDue = true
    }
}

/// The terminal that the browser writes to; its events come through `BrowserInbox`.
package protocol BrowserTerminal: Sendable {
    /// Whether written bytes are still queued.
    var isWriting: Bool { get }
    func write(_ bytes: TerminalBytes)
    func setMouse(_ isOn: Bool)
    func suspend()
}

extension TerminalSession: BrowserTerminal {}
