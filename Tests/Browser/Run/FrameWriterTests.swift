import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser

@Suite("FrameWriter", .timeLimit(.minutes(10)))
struct FrameWriterTests {
    private let terminal: FakeTerminal
    private let clock = ManualClock()
    private let inbox = BrowserInbox()
    private static let traits = TerminalTraits(size: CellSize(clamping: 120, 40))
    private var timer: LoopTimer

    init() {
        terminal = FakeTerminal()
        timer = LoopTimer(ElapsedClock(clock), inbox.queue)
    }

    private func writer(_ terminal: FakeTerminal) -> FrameWriter<FakeTerminal> {
        FrameWriter(terminal, ElapsedClock(clock), traits: Self.traits)
    }

    /// A screen of unequal image cells.
    private static func grid(_ seed: Int) -> CellGrid {
        var pixels = PixelBuffer(size: PixelSize(width: 120, height: 80))
        for y in 0..<80 {
            for x in 0..<120 {
                let value = x &* 2 &+ y &* 3 &+ seed &* 40
                pixels[x, y] = RGBA(UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value &+ x), 90)
            }
        }
        var blocks = SymbolEncoder(depth: .truecolor)
        var grid = CellGrid(size: Self.traits.size)
        grid.put(blocks.cells(of: pixels), at: CellPosition(column: 0, row: 0))
        return grid
    }

    @Test("Nothing is painted while the terminal still takes bytes")
    mutating func writing() {
        let slow = FakeTerminal(isSlow: true)
        var frames = writer(slow)
        var grid = CellGrid(size: Self.traits.size)
        grid.put("one", at: CellPosition(column: 0, row: 0))
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: grid) }
        grid.put("two", at: CellPosition(column: 0, row: 0))
        frames.stateChanged()
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: grid) }
        #expect(slow.writes.count == 1)
        slow.drain(inbox)
        frames.drained(Self.traits)
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: grid) }
        #expect(slow.writes.count == 2)
    }

    @Test("Frames of animations come in parts of 16 KB, each behind the reply to the last")
    mutating func animation() {
        var frames = writer(terminal)
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: CellGrid(size: Self.traits.size)) }
        frames.replied(Self.traits)
        let animated = Self.grid(1)
        frames.animationChanged()
        var parts = 1
        while parts < 100 {
            frames.draw(Self.traits, &timer) { BrowserFrame(grid: animated) }
            frames.draw(Self.traits, &timer) { BrowserFrame(grid: animated) }
            guard terminal.writes.count == parts + 1 else { break }
            #expect(terminal.writes[parts].raw.count <= 16 << 10)
            parts += 1
            #expect(!frames.canAnimate(at: .zero))
            frames.replied(Self.traits)
        }
        #expect((4..<100).contains(parts) && frames.canAnimate(at: .zero))
    }

    @Test("A frame for a key leaves out what is unfinished of an animation")
    mutating func unfinishedAnimation() throws {
        var frames = writer(terminal)
        func draw(_ grid: CellGrid) -> Int {
            frames.draw(Self.traits, &timer) { BrowserFrame(grid: grid) }
            frames.replied(Self.traits)
            return terminal.writes.last?.raw.count ?? 0
        }
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: CellGrid(size: Self.traits.size)) }
        frames.replied(Self.traits)
        frames.stateChanged()
        for _ in 0..<100 where !frames.canAnimate(at: .zero) { _ = draw(Self.grid(1)) }
        var grid = Self.grid(2)
        frames.animationChanged()
        _ = draw(grid)
        for text in ["one", "two"] as [TerminalText] {
            grid.put(text, at: CellPosition(column: 0, row: 39))
            frames.stateChanged()
            #expect(draw(grid) < 200)
        }
        let before = terminal.writes.count
        while !frames.canAnimate(at: .zero), terminal.writes.count < before + 100 { _ = draw(grid) }
        let parts = terminal.writes[before...]
        #expect(parts.count > 3 && parts.allSatisfy { $0.raw.count <= 16 << 10 })
        #expect(frames.canAnimate(at: .zero))
    }

    @Test("An unknown terminal gets no second chunk before reply or timeout")
    mutating func trial() async {
        var frames = writer(terminal)
        for _ in 0..<5 { frames.draw(Self.traits, &timer) { BrowserFrame(grid: Self.grid(1)) } }
        #expect(terminal.writes.count == 1)
        frames.drained(Self.traits)
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: Self.grid(1)) }
        #expect(terminal.writes.count == 1)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: Self.grid(1)) }
        #expect(terminal.writes.count == 2)
    }

    @Test("A repaint on an unknown line goes in chunks of rows, always current")
    mutating func pieces() {
        var frames = writer(terminal)
        var number = 0
        var drawn: [Int] = []
        repeat {
            number += 1
            frames.draw(Self.traits, &timer) {
                drawn.append(number)
                return BrowserFrame(grid: Self.grid(1))
            }
            clock.advance(by: .seconds(1))
        } while drawn.last == number && number < 100
        // A row longer than the limit is a chunk of its own.
        #expect(terminal.writes.count > 3)
        #expect(terminal.writes.allSatisfy { $0.raw.count < max(BandwidthEstimator.firstChunkBytes, 120 * 42) + 100 })
        #expect(drawn == Array(1..<number))
    }

    @Test("The next frame follows a reply or the reply timeout")
    mutating func answers() async throws {
        var frames = writer(terminal)
        var grid = CellGrid(size: Self.traits.size)
        grid.put("one", at: CellPosition(column: 0, row: 0))
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: grid) }
        frames.replied(Self.traits)
        for word in ["two", "three"] as [TerminalText] {
            grid.put(word, at: CellPosition(column: 0, row: 1))
            frames.stateChanged()
            frames.draw(Self.traits, &timer) { BrowserFrame(grid: grid) }
        }
        #expect(terminal.writes.count == 2)
        await clock.waitForSleepers()
        // Plus the time of the frame's bytes.
        clock.advance(by: FrameGate.replyTimeout + .seconds(1))
        let items = await inbox.queue.next()
        guard case .timer(.replyTimeout)? = items.first else { return #expect(Bool(false), "no alarm") }
        timer.clear(.replyTimeout)
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: grid) }
        #expect(terminal.writes.count == 3)
    }
}

@Suite("FrameGate")
struct FrameGateTests {
    @Test("After three seconds without a reply the gate opens until the next")
    func silence() {
        var gate = FrameGate()
        gate.sent(bytes: 0, at: .zero)
        _ = gate.replied()
        gate.sent(bytes: 0, at: .seconds(1))
        gate.giveUp(at: .milliseconds(3_999))
        #expect(!gate.isOpen(isWriting: false))
        gate.giveUp(at: .seconds(4))
        #expect(gate.isOpen(isWriting: false))
        gate.sent(bytes: 0, at: .seconds(5))
        #expect(gate.isOpen(isWriting: false))
        _ = gate.replied()
        gate.sent(bytes: 0, at: .seconds(6))
        #expect(!gate.isOpen(isWriting: false))
    }

    @Test("The answer to a key waits for the line, not for the reply to the frame before; pixels wait for that")
    func following() {
        var gate = FrameGate()
        gate.sent(bytes: 0, at: .zero)
        _ = gate.replied()
        gate.sent(bytes: 0, at: .zero, time: .milliseconds(20))
        #expect(!gate.isOpen(isWriting: false, at: .milliseconds(19)))
        #expect(
            gate.isOpen(isWriting: false, at: .milliseconds(20)) && gate.opening(yields: false) == .milliseconds(20))
        #expect(!gate.isOpen(isWriting: false, yields: true, at: .milliseconds(20)))
        for _ in 0..<3 { gate.sent(bytes: 0, at: .milliseconds(20), time: .zero) }
        #expect(!gate.isOpen(isWriting: false, at: .milliseconds(100)), "Four are in flight")
        for _ in 0..<4 { _ = gate.replied() }
        #expect(gate.isOpen(isWriting: false, yields: true))
    }

    @Test("A slow line that buffers everything gets the time its bytes need")
    func bufferedLine() {
        var gate = FrameGate()
        gate.sent(bytes: 100, at: .zero)
        _ = gate.replied()
        gate.sent(bytes: 8192, at: .zero)
        gate.giveUp(at: .milliseconds(4_100))
        #expect(!gate.isOpen(isWriting: false))
        gate.giveUp(at: .seconds(11))
        #expect(gate.isOpen(isWriting: false))
    }
}

extension BandwidthEstimator {
    /// Measures a frame on a screen of 120x40 cells, or another number; returns the time of its reply.
    @discardableResult
    fileprivate mutating func measure(
        _ bytes: Int, at start: Duration = .zero, taking time: Duration = .zero, cells: Int = 4800
    ) -> Duration {
        sent(bytes: bytes, at: start)
        arrived(at: start + time, cells: cells)
        return start + time
    }
}

@Suite("BandwidthEstimator")
struct BandwidthEstimatorTests {
    @Test("A slow line limits frames until it is quick, with hysteresis")
    func hysteresis() {
        var clock = BandwidthEstimator()
        clock.measure(40)
        // 2 KB/s, and 0.6 s at this speed.
        var now = clock.measure(8192, taking: .seconds(4))
        #expect(clock.isSlow && clock.byteLimit == 1222)
        // 320 KB/s: a repaint takes 150 ms, neither slow nor quick.
        for _ in 0..<20 { now = clock.measure(8192, at: now, taking: .microseconds(25_600)) }
        #expect(clock.isSlow && clock.byteLimit == BandwidthEstimator.chunkBytes)
        for _ in 0..<20 { now = clock.measure(8192, at: now, taking: .milliseconds(8)) }
        #expect(!clock.isSlow)
    }

    @Test("Pixels come at once on a fast line, at half the size below 1 MB/s, and at rest below 200 KB/s")
    func pictures() {
        func estimator(_ bytesPerSecond: Int) -> BandwidthEstimator {
            var estimator = BandwidthEstimator()
            estimator.measure(40)
            estimator.measure(bytesPerSecond, taking: .seconds(1))
            return estimator
        }
        for (rate, isFast, halves, frame) in [
            (2_000_000, true, false, 65_536), (500_000, false, true, 6000),
            (250_000, false, true, PictureLimits.minFrame),
            (100_000, false, false, 0),
        ] {
            let line = estimator(rate)
            let moving = line.pictureLimits(isResting: false, isRemote: true)
            #expect(line.isFast == isFast && moving.halves == halves && abs(moving.frame - frame) <= 10)
            #expect(!moving.sendsAhead)
            let resting = line.pictureLimits(isResting: true, isRemote: true)
            #expect(!resting.halves && resting.sendsAhead && resting.frame >= 14_990)
        }
    }

    @Test("Short texts tell how large the inline picture may be that measures the line, at rest")
    func shortTexts() {
        func inline(
            _ bytesPerSecond: Int, latency: Duration, isResting: Bool = true, isRemote: Bool = false
        ) -> Int {
            var estimator = BandwidthEstimator()
            #expect(estimator.pictureLimits(isResting: true, isRemote: false).inline == 0)
            for bytes in [200, 800, 100] {
                estimator.measure(bytes, taking: latency + .seconds(1) * bytes / bytesPerSecond, cells: 80 * 24)
            }
            #expect(!estimator.isMeasured)
            return estimator.pictureLimits(isResting: isResting, isRemote: isRemote).inline
        }
        #expect(inline(5_000_000, latency: .milliseconds(2)) > 1_000_000)
        #expect(inline(5_000_000, latency: .milliseconds(2), isResting: false) == 0)
        #expect((2_000...8_000).contains(inline(2_000, latency: .milliseconds(2), isRemote: true)))
        #expect((10_000...40_000).contains(inline(2_000, latency: .milliseconds(2))))
    }

    @Test("High latency is not low bandwidth")
    func delay() {
        var clock = BandwidthEstimator()
        clock.measure(40, taking: .milliseconds(800))
        clock.measure(8192, at: .seconds(1), taking: .milliseconds(810))
        #expect(!clock.isSlow)
    }

    @Test("A line whose first frames all took a round trip is not slow from then on")
    func delayOfFirstFrames() {
        var clock = BandwidthEstimator()
        var now = Duration.zero
        // 100 ms and 625 KB/s; 160x50 cells.
        for bytes in [1045, 5236, 7290] {
            now = clock.measure(
                bytes, at: now, taking: .milliseconds(100) + .seconds(Double(bytes) / 625_000), cells: 8000)
        }
        #expect(!clock.isSlow)
    }

    @Test("A long round trip is told from the bandwidth by frames that all are long")
    func delayOfLongFrames() {
        var clock = BandwidthEstimator()
        var now = Duration.zero
        // 100 ms and 625 KB/s: first rows, then images as large as the limits allow.
        func measure(_ bytes: Int) {
            now = clock.measure(bytes, at: now, taking: .milliseconds(100) + .seconds(Double(bytes) / 625_000))
        }
        for bytes in [7000, 6000, 7000] { measure(bytes) }
        for _ in 0..<8 { measure(clock.pictureLimits(isResting: true, isRemote: true).frame) }
        func expectLimits(_ frame: ClosedRange<Int>) {
            let limits = clock.pictureLimits(isResting: false, isRemote: true)
            #expect(limits.halves && frame.contains(limits.frame) && !clock.isFast)
        }
        expectLimits(7200...7800)
        // A late reply to a short frame does not make it a fast line.
        now = clock.measure(100, at: now, taking: .milliseconds(150))
        clock.measure(30_000, at: now, taking: .milliseconds(148))
        expectLimits(6800...9500)
    }
}
