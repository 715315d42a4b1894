internal import SpyglassFetching
package import SpyglassTerminalUI

/// Sends frames to the terminal as `FrameGate` allows, in chunks if the terminal is slow.
struct FrameWriter<Terminal: BrowserTerminal> {
    private let terminal: Terminal
    private let time: ElapsedClock
    private var gate = FrameGate()
    private var bandwidth = BandwidthEstimator()
    private var painter: Painter
    private var lastFrame: BrowserFrame?
    private var isDue = true
    /// Whether pixels may follow that the last frame left out.
    private var arePixelsDue = false
    /// Whether frames of animations have changed since they were drawn.
    private var isAnimationDue = false
    /// The last frame, if an animation's part of it is unfinished: a frame for a key leaves that part out.
    private var unfinished: CellGrid?
    /// The limits that withheld pictures.
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
    mutating func rested() { if withheldBeyond != nil { arePixelsDue = true } }

    /// Only the frames of animations have changed.
    mutating func animationChanged() { isAnimationDue = true }

    /// Whether other frames of animations can be drawn: nothing else waits, and the terminal has taken everything before.
    func canAnimate(at now: Duration) -> Bool {
        !isDue && !arePixelsDue && !isAnimationDue && gate.isOpen(isWriting: terminal.isWriting, yields: true, at: now)
    }

    mutating func replied(_ traits: TerminalTraits) { if gate.replied() { arrived(traits) } }
    mutating func drained(_ traits: TerminalTraits) { if gate.isSilent { arrived(traits) } }

    private mutating func arrived(_ traits: TerminalTraits) {
        bandwidth.arrived(at: time.now(), cells: traits.size.columns * traits.size.rows)
        if let withheldBeyond, pictureLimits(traits).exceeds(withheldBeyond) { arePixelsDue = true }
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
        guard isDue || arePixelsDue || isAnimationDue else { return }
        // Pixels and frames of animations yield to everything else.
        let yields = !isDue
        let isAnimation = yields && !arePixelsDue
        // The reply that would end the measurement is lost.
        if gate.giveUp(at: time.now()) { bandwidth.reset() }
        guard gate.isOpen(isWriting: terminal.isWriting, yields: yields, at: time.now()) else {
            // The terminal reports the end of a write by itself.
            let opening = terminal.isWriting ? gate.deadline : gate.opening(yields: yields)
            if let opening { timer.set(.replyTimeout, at: opening) }
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
        // Unless they take no time, pixels follow the answer to a key.
        let (isFast, limits) = (bandwidth.isFast, pictureLimits(traits))
        let pictures = yields || isFast ? limits : .charactersOnly
        let frame = painter.paint(
            grid, byteLimit: limit, pictures: pictures, deferringImagesOf: isAnimation ? nil : unfinished)
        withheldBeyond = frame.withholdsPictures ? pictures : nil
        timer.clear(.rest)
        if frame.withholdsPictures, time.now() < restsAt { timer.set(.rest, at: restsAt) }
        let isUnfinished = !frame.isComplete && !frame.bytes.isEmpty
        isDue = isUnfinished && !yields && !isFast
        arePixelsDue = isUnfinished && !isDue && !isAnimation
        isAnimationDue = isAnimation ? isUnfinished : !isUnfinished && unfinished != nil
        unfinished = isAnimationDue ? grid : nil
        guard !frame.bytes.isEmpty else {
            // No reply will come.
            guard !yields, frame.withholdsPictures, limits.exceeds(pictures) else { return }
            arePixelsDue = true
            return self.draw(traits, &timer, draw)
        }
        terminal.write(frame.bytes)
        let now = time.now()
        let bytes = frame.bytes.raw.count
        bandwidth.sent(bytes: bytes + frame.bytes.sharedBytes, at: now, follows: gate.isFollowing)
        gate.sent(
            bytes: bandwidth.byteLimit == nil ? 0 : bytes, at: now, yields: yields, time: bandwidth.time(of: bytes))
    }
}

/// The terminal that the browser writes to; its events come through `BrowserInbox`.
package protocol BrowserTerminal: Sendable {
    /// Whether written bytes are still queued.
    var isWriting: Bool { get }
    func write(_ bytes: TerminalBytes)
    func setMouse(_ isOn: Bool)
    func suspend()
    /// Gives the terminal to `body`, on a thread that may block, and takes it again.
    func lend(_ body: @escaping @Sendable (LentTerminal) -> Void)
}

extension TerminalSession: BrowserTerminal {}
