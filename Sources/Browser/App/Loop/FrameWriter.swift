internal import SpyglassFetching
package import SpyglassTerminalUI

/// Sends frames to the terminal: one at a time, in chunks if the terminal is slow.
struct FrameWriter<Terminal: BrowserTerminal> {
    private let terminal: Terminal
    private let time: ElapsedClock
    private var gate = FrameGate()
    private var bandwidth = BandwidthEstimator()
    private var painter: Painter
    private var lastFrame: BrowserFrame?
    private var isDue = true
    /// Whether frames of animations have changed since they were drawn.
    private var isAnimationDue = false
    /// The last frame, if an animation's part of it is unfinished: a frame for a key leaves that part out.
    private var unfinished: CellGrid?
    /// The limits that kept pictures as characters.
    private var withheldBeyond: PictureLimits?
    /// When the last key will have been pressed long enough ago for pixels on a slow line.
    private var restsAt = Duration.zero

    init(_ terminal: Terminal, _ time: ElapsedClock, traits: TerminalTraits) {
        self.terminal = terminal
        self.time = time
        painter = Painter(size: traits.size, depth: traits.depth)
    }

    mutating func stateChanged() { isDue = true }

    mutating func keyPressed() { restsAt = time.now() + BandwidthEstimator.restTime }
    mutating func rested() { if withheldBeyond != nil { isDue = true } }

    /// Only the frames of animations have changed.
    mutating func animationChanged() { isAnimationDue = true }

    /// Whether other frames of animations can be drawn: nothing else waits, and the terminal has taken everything before.
    func canAnimate(at now: Duration) -> Bool {
        !isDue && !isAnimationDue && gate.isOpen(isWriting: terminal.isWriting, isAnimation: true)
    }

    mutating func replied(_ traits: TerminalTraits) { if gate.replied() { arrived(traits) } }
    mutating func drained(_ traits: TerminalTraits) { if gate.isSilent { arrived(traits) } }

    private mutating func arrived(_ traits: TerminalTraits) {
        bandwidth.arrived(at: time.now(), cells: traits.size.columns * traits.size.rows)
        // The line has proved faster than it seemed.
        if let withheldBeyond, pictureLimits(traits).exceeds(withheldBeyond) { isDue = true }
    }

    private func pictureLimits(_ traits: TerminalTraits) -> PictureLimits {
        var limits = bandwidth.pictureLimits(isResting: time.now() >= restsAt, isRemote: traits.isRemote)
        if traits.isInsideTmux { limits.inline = min(limits.inline, BandwidthEstimator.maxTmuxSequence) }
        return limits
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

    /// Returns the target of a click in the frame that the user saw, even if the state has changed since.
    func target(at position: CellPosition) -> ClickTarget? { lastFrame?.target(at: position) }

    mutating func draw(_ traits: TerminalTraits, _ timer: inout LoopTimer, _ draw: () -> BrowserFrame) {
        guard isDue || isAnimationDue else { return }
        // Frames of animations yield to everything else.
        let isAnimation = !isDue
        // The reply that would end the measurement is lost.
        if gate.giveUp(at: time.now()) { bandwidth.reset() }
        guard gate.isOpen(isWriting: terminal.isWriting, isAnimation: isAnimation) else {
            if let deadline = gate.deadline { timer.set(.replyTimeout, at: deadline) }
            return
        }
        timer.clear(.replyTimeout)
        let drawn = draw()
        let grid = drawn.grid
        lastFrame = drawn
        if painter.depth != traits.depth || painter.size != grid.size {
            painter.forget(size: grid.size, depth: traits.depth)
        }
        // A part of an animation's frame would leave scrolled rows blank.
        painter.usesScrollRegion = !isAnimation
        let limit = isAnimation ? bandwidth.animationBytes : bandwidth.byteLimit
        let pictures = pictureLimits(traits)
        let frame = painter.paint(
            grid, byteLimit: limit, pictures: pictures, deferringImagesOf: isAnimation ? nil : unfinished)
        withheldBeyond = frame.withholdsPictures ? pictures : nil
        timer.clear(.rest)
        if frame.withholdsPictures, time.now() < restsAt { timer.set(.rest, at: restsAt) }
        let isUnfinished = !frame.isComplete && !frame.bytes.isEmpty
        isDue = isUnfinished && !isAnimation
        isAnimationDue = isAnimation ? isUnfinished : !isUnfinished && unfinished != nil
        unfinished = isAnimationDue ? grid : nil
        if !frame.bytes.isEmpty {
            terminal.write(frame.bytes)
            let now = time.now()
            let bytes = frame.bytes.raw.count
            gate.sent(bytes: bandwidth.byteLimit == nil ? 0 : bytes, at: now, isAnimation: isAnimation)
            bandwidth.sent(bytes: bytes, at: now)
        }
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
