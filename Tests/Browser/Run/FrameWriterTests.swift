import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser

@Suite("Frames on their way", .timeLimit(.minutes(10)))
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

    private func writer(_ terminal: FakeTerminal, _ fidelity: Fidelity = .exact) -> FrameWriter<FakeTerminal> {
        FrameWriter(terminal, ElapsedClock(clock), traits: Self.traits, fidelity: fidelity, usesScrollRegion: true)
    }

    /// A screen full of a picture, of which every cell is another.
    private static func grid(_ seed: Int) -> CellGrid {
        var pixels = PixelBuffer(size: PixelSize(width: 120, height: 80))
        for y in 0..<80 {
            for x in 0..<120 {
                let value = x &* 2 &+ y &* 3 &+ seed &* 40
                pixels[x, y] = RGBA(UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value &+ x), 90)
            }
        }
        var blocks = HalfBlock(depth: .truecolor)
        var grid = CellGrid(size: Self.traits.size)
        grid.put(blocks.cells(of: pixels), at: CellPosition(column: 0, row: 0))
        return grid
    }

    @Test("The first frame goes out at once, and nothing where nothing has changed")
    mutating func first() {
        var frames = writer(terminal)
        var grid = CellGrid(size: Self.traits.size)
        grid.put("hello", at: CellPosition(column: 0, row: 0))
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: grid) }
        #expect(terminal.writes.count == 1)
        frames.stateChanged()
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: grid) }
        #expect(terminal.writes.count == 1)
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

    @Test("Clicks hit the last frame that went out")
    mutating func targets() {
        let slow = FakeTerminal(isSlow: true)
        var frames = writer(slow)
        var grid = CellGrid(size: Self.traits.size)
        func frame(_ number: Int) -> BrowserFrame {
            BrowserFrame(grid: grid, targets: [(grid.area, .photo(number))])
        }
        let position = CellPosition(column: 0, row: 0)
        #expect(frames.target(at: position) == nil)
        grid.put("one", at: position)
        frames.draw(Self.traits, &timer) { frame(1) }
        #expect(frames.target(at: position) == .photo(1))
        grid.put("two", at: position)
        frames.stateChanged()
        frames.draw(Self.traits, &timer) { frame(2) }
        #expect(frames.target(at: position) == .photo(1))
        slow.drain(inbox)
        frames.draw(Self.traits, &timer) { frame(2) }
        #expect(frames.target(at: position) == .photo(2))
    }

    @Test("A terminal that nothing is known of gets no second piece before it answers or its time is over")
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

    @Test("A repaint goes out in pieces of whole rows on a line that is not known, of the newest state")
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
        // Rows are not cut, so one that is longer than the limit goes alone.
        #expect(terminal.writes.count > 3)
        #expect(terminal.writes.allSatisfy { $0.raw.count < max(BandwidthEstimator.firstChunkBytes, 120 * 42) + 100 })
        #expect(drawn == Array(1..<number))
    }

    @Test(
        "A terminal that answers gets the next frame when it has, or when it has been silent for longer than its bytes explain"
    )
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
        // And a little for the bytes of the frame, on a line that may be slow.
        clock.advance(by: FrameGate.replyTimeout + .seconds(1))
        let items = await inbox.queue.next()
        guard case .timer(.replyTimeout)? = items.first else { return #expect(Bool(false), "no alarm") }
        timer.clear(.replyTimeout)
        frames.draw(Self.traits, &timer) { BrowserFrame(grid: grid) }
        #expect(terminal.writes.count == 3)
    }

    @Test("On a slow line colours are near enough at first, and exact once nothing moves")
    mutating func sharpening() async {
        var frames = writer(terminal, .auto)
        func show(_ grid: CellGrid, answerAfter time: Duration) {
            var before = -1
            while before != terminal.writes.count {
                before = terminal.writes.count
                frames.draw(Self.traits, &timer) { BrowserFrame(grid: grid) }
                guard before != terminal.writes.count else { break }
                clock.advance(by: time)
                frames.replied(Self.traits)
            }
        }
        show(Self.grid(1), answerAfter: .seconds(2))
        frames.stateChanged()
        let before = terminal.writes.count
        show(Self.grid(2), answerAfter: .seconds(2))
        let coarse = terminal.writes[before...].reduce(0) { $0 + $1.raw.count }
        #expect(coarse > 0)
        let settled = terminal.writes.count
        frames.sharpen()
        show(Self.grid(2), answerAfter: .seconds(2))
        #expect(terminal.writes.count > settled)
        let sharp = terminal.writes.count
        frames.sharpen()
        show(Self.grid(2), answerAfter: .seconds(2))
        #expect(terminal.writes.count == sharp)
    }
}
