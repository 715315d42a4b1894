import Glibc
import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

@Suite("Painter: terminal model")
struct PainterModelTests {
    /// The number of pairs of grids; `SPYGLASS_PAIRS=1000000 swift test -c release` for a full run.
    private static let pairs: Int = {
        guard let text = getenv("SPYGLASS_PAIRS") else { return 5000 }
        return Int(String(cString: text)) ?? 5000
    }()
    private static let seeds = 0..<8
    /// Changes of one screen.
    private static let changes = 40

    @Test("The terminal shows the grid after each difference", arguments: seeds)
    func randomPairs(_ seed: Int) {
        var generator = Seeded(UInt64(seed) + 100)
        for _ in 0..<max(Self.pairs / Self.seeds.count / Self.changes, 1) {
            guard run(&generator) else { return }
        }
    }

    @Test(
        "Pictures are where the grid has them, and nothing is left over",
        arguments: [PixelPayload.Kind.kittyPlacement, .kittyPlaceholders, .inline], seeds)
    func randomPictures(_ kind: PixelPayload.Kind, _ seed: Int) {
        var generator = Seeded(UInt64(seed) + 300)
        for _ in 0..<max(Self.pairs / Self.seeds.count / Self.changes / 3, 1) {
            guard run(&generator, kind) else { return }
        }
    }

    /// Tests one changing screen, and returns whether it passed.
    private func run(_ generator: inout Seeded, _ kind: PixelPayload.Kind? = nil) -> Bool {
        let isLarge = Int.random(in: 0..<40, using: &generator) == 0
        let size = CellSize(
            clamping: Int.random(in: 1...(isLarge ? 60 : 12), using: &generator),
            Int.random(in: 1...(isLarge ? 24 : 6), using: &generator))
        let depths: [ColorDepth] = [.truecolor, .truecolor, .truecolor, .palette256, .palette16, .monochrome]
        let depth = depths.randomElement(using: &generator) ?? .truecolor
        var random = RandomScreen(size: size, depth: depth, generator: Seeded(generator.next()), pictures: kind)
        var painter = Painter(size: size, depth: depth, usesScrollRegion: !random.chance(4))
        var terminal = TerminalModel(size: size)
        terminal.clearsWithBackground = random.chance(2)
        terminal.spoil(withColors: depth != .monochrome)
        // Some images take several frames.
        let limits = random.chance(2) ? .unlimited : PictureLimits(frame: PictureLimits.minFrame, inline: .max)
        for step in 0..<Self.changes {
            random.change()
            if random.chance(30) {
                terminal.spoil(withColors: depth != .monochrome)
                painter.forget()
            }
            if random.chance(4) {
                // A slow terminal: the screen changes while parts of it are sent.
                var earlier: CellGrid?
                for _ in 0..<random.number(1...4) {
                    let limit = random.number(1...200)
                    let frame = painter.paint(
                        random.grid, byteLimit: limit, pictures: limits, deferringImagesOf: earlier)
                    earlier = random.chance(2) ? random.grid : nil
                    terminal.read(frame.bytes.raw)
                    // One row, the erasure of pictures, and what is around the rows.
                    let maxRest = size.columns * 80 + size.rows * (size.columns + 32) + 500
                    guard bytesOutsidePictures(frame.bytes.raw) <= limit + maxRest else {
                        Issue.record("\(size) \(depth) step \(step): a frame beyond its limit of \(limit)")
                        return false
                    }
                    if random.chance(2) { random.change() }
                    if random.chance(20) { painter.forget() }
                }
            }
            var frame = painter.paint(random.grid, pictures: limits)
            terminal.read(frame.bytes.raw)
            // Images follow the frame that clears the screen, or that removes others.
            while !frame.isComplete, !frame.bytes.isEmpty {
                if random.chance(4) { random.change() }
                frame = painter.paint(random.grid, pictures: limits)
                terminal.read(frame.bytes.raw)
            }
            let difference = terminal.difference(
                from: random.grid, usesColor: depth != .monochrome, usesPlaceholders: depth == .truecolor)
            guard difference == nil, frame.isComplete else {
                Issue.record("\(size) \(depth) step \(step): \(difference ?? "")\n\(readable(frame.bytes))")
                return false
            }
            guard painter.paint(random.grid).bytes.isEmpty else {
                Issue.record("a frame where nothing changed")
                return false
            }
        }
        return true
    }

    /// The number of bytes outside DCS and APC strings.
    private func bytesOutsidePictures(_ bytes: [UInt8]) -> Int {
        var count = 0
        var isInside = false
        for (byte, next) in zip(bytes, bytes.dropFirst()) where byte == 0x1B || !isInside {
            if byte == 0x1B { isInside = next == UInt8(ascii: "P") || next == UInt8(ascii: "_") }
            if !isInside { count += 1 }
        }
        return count
    }

    @Test("Rows of a slow terminal are sent in turn")
    func noRowStarves() {
        let size = CellSize(clamping: 20, 6)
        var painter = Painter(size: size, depth: .truecolor, usesScrollRegion: false)
        var terminal = TerminalModel(size: size)
        var grid = CellGrid(size: size)
        for step in 0..<12 {
            for row in 0..<6 { grid.put("step \(step) row \(row)", at: CellPosition(column: 0, row: row)) }
            let frame = painter.paint(grid, byteLimit: 1)
            terminal.read(frame.bytes.raw)
            #expect(!frame.isComplete)
        }
        // Twelve frames of one row each: every row was sent twice, the first one with the state of step 6.
        #expect((0..<6).map { terminal.text(ofRow: $0) } == (0..<6).map { "step \($0 + 6) row \($0)" })
        #expect(terminal.faults.isEmpty)
    }

    @Test("Rows beyond a byte limit follow with the next frame")
    func byteLimit() {
        let size = CellSize(clamping: 30, 10)
        var painter = Painter(size: size, depth: .truecolor)
        var terminal = TerminalModel(size: size)
        var grid = CellGrid(size: size)
        for row in 0..<10 { grid.put("abcdefghijklmnopqrstuvwxyz", at: CellPosition(column: 0, row: row)) }
        var frames = 0
        while true {
            let frame = painter.paint(grid, byteLimit: 60)
            terminal.read(frame.bytes.raw)
            frames += 1
            #expect(frame.bytes.raw.count <= 60 + (frames == 1 ? 40 : 20))
            if frame.isComplete { break }
        }
        // Two rows take 59 and 60 bytes, the last two 61, for the number of the tenth has two digits.
        #expect(frames == 6 && terminal.difference(from: grid) == nil)
        grid.put("a long row, and longer than the limit", at: CellPosition(column: 0, row: 3))
        grid.put("short", at: CellPosition(column: 0, row: 4))
        terminal.read(painter.paint(grid, byteLimit: 5).bytes.raw)
        #expect([3, 4].map { terminal.text(ofRow: $0) == grid.text(ofRow: $0) } == [true, false])
        #expect(painter.paint(grid, byteLimit: 5).isComplete)
    }

    @Test("Other grapheme widths leave the other cells in place")
    func otherWidths() {
        let size = CellSize(clamping: 40, 3)
        for text in ["👨‍👩‍👧", "👩‍🚀", "👍🏽", "🇯🇵", "❤️", "1️⃣"] as [TerminalText] {
            var painter = Painter(size: size, depth: .truecolor)
            var terminal = TerminalModel(size: size)
            terminal.drawsScalars = true
            var grid = CellGrid(size: size)
            for row in 0..<3 { grid.put("abcdefghijklmnopqrstuvwxyz", at: CellPosition(column: 0, row: row)) }
            terminal.read(painter.paint(grid).bytes.raw)
            grid.put(text, at: CellPosition(column: 5, row: 1))
            terminal.read(painter.paint(grid).bytes.raw)
            let letters = "abcdefghijklmnopqrstuvwxyz"
            let after = terminal.cells[40 + 5 + text.width..<40 + 26].map(\.text).joined()
            #expect(terminal.text(ofRow: 1).hasPrefix("abcde") && terminal.faults.isEmpty)
            #expect(letters.hasSuffix(after) && after.count == 21 - text.width, "\(text): \(after)")
        }
    }
}
