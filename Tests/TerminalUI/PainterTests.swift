import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

@Suite("Painter: bytes")
struct PainterTests {
    private let size = CellSize(clamping: 20, 4)

    /// The readable bytes between the start and the end of the block.
    private func body(_ frame: PaintedFrame) -> String {
        let text = readable(frame.bytes)
        let start = "\\e[?2026h"
        let end = "\\e[?2026l\\e[5n"
        #expect(text.hasPrefix(start) && text.hasSuffix(end), "\(text)")
        return String(text.dropFirst(start.count).dropLast(end.count))
    }

    /// The bytes of a second grid after a first one.
    private func change(
        _ depth: ColorDepth = .truecolor, scrolls: Bool = true, size: CellSize? = nil,
        from first: (inout CellGrid) -> Void = { _ in }, to second: (inout CellGrid) -> Void
    ) -> String {
        let size = size ?? self.size
        var painter = Painter(size: size, depth: depth, usesScrollRegion: scrolls)
        var grid = CellGrid(size: size)
        first(&grid)
        _ = painter.paint(grid)
        second(&grid)
        let frame = painter.paint(grid)
        return frame.bytes.isEmpty ? "" : body(frame)
    }

    private func at(_ column: Int, _ row: Int) -> CellPosition { CellPosition(column: column, row: row) }

    @Test("The first frame resets, clears and sends the non-blank cells; so does a grid of another size")
    func firstFrame() {
        var painter = Painter(size: size, depth: .truecolor)
        var grid = CellGrid(size: size)
        grid.put("ab", at: at(3, 1))
        for _ in 0..<2 {
            #expect(body(painter.paint(grid)) == "\\e[?25l\\e[0m\\e[r\\e[2J\\e[2;4Hab")
            #expect(painter.paint(grid).bytes.isEmpty)
            painter.forget()
        }
        _ = painter.paint(grid)
        var small = CellGrid(size: CellSize(clamping: 5, 1))
        small.put("a", at: at(0, 0))
        #expect(body(painter.paint(small)) == "\\e[?25l\\e[0m\\e[r\\e[2J\\e[Ha" && painter.size == small.size)
    }

    @Test("Changed cells are sent, short gaps rewritten, long ones skipped")
    func differences() {
        #expect(
            change(
                from: { $0.put("abcdefghijklmnopqrst", at: at(0, 0)) },
                to: { $0.put("AbCdefghIjklmnopqrsT", at: at(0, 0)) })
                == "\\e[HAbC\\e[5CI\\e[10CT")
    }

    @Test("Styles are sent on change, kept across rows, reset at the end")
    func looks() {
        let red = CellStyle(foreground: .palette(1), .bold)
        let text = change { grid in
            grid.put("ab", at: at(0, 0), in: red)
            grid.put("c", at: at(2, 0))
            grid.put("d", at: at(0, 1), in: CellStyle(foreground: .rgb(RGB(1, 2, 3)), background: .palette(12)))
            grid.put("e", at: at(0, 2), in: CellStyle(foreground: .rgb(RGB(1, 2, 3)), background: .palette(200)))
            grid.put("f", at: at(0, 3), in: CellStyle(foreground: .rgb(RGB(1, 2, 3)), .underline))
        }
        #expect(
            text == """
                \\e[H\\e[1;31mab\\e[mc\\e[2H\\e[38;2;1;2;3;104md\\e[3H\\e[48;5;200me\
                \\e[4H\\e[4;49mf\\e[0m
                """)
    }

    @Test("Rows are cleared only in default colours")
    func clearing() {
        let words: TerminalText = "something long"
        #expect(change(from: { $0.put(words, at: at(0, 0)) }, to: { $0.fill($0.area, with: .plain) }) == "\\e[H\\e[K")
        let red = CellStyle(background: .palette(1))
        #expect(
            change(
                from: { $0.put(words, at: at(0, 0)) },
                to: { grid in
                    grid.fill(grid.area, with: .plain)
                    grid.put("a", at: at(0, 0), in: red)
                }) == "\\e[H\\e[41ma\\e[m\\e[K")
        #expect(
            change(
                size: CellSize(clamping: 20, 1), from: { $0.put("abc", at: at(17, 0)) },
                to: { $0.fill($0.area, with: red) })
                == "\\e[H\\e[41m                    \\e[0m")
    }

    @Test("Wide characters are rewritten whole, uncertain ones over spaces")
    func wideCharacters() {
        let frames = [
            change(from: { $0.put("日本x", at: at(0, 0)) }, to: { $0.put("a", at: at(1, 0)) }),
            change { $0.put("👩‍🚀x", at: at(0, 0)) }, change { $0.put("e\u{301}x", at: at(0, 0)) },
        ]
        #expect(frames == ["\\e[H a", "\\e[H  \\e[G👩‍🚀\\e[3Gx ", "\\e[He\u{301}x"])
    }

    @Test("Moved rows are scrolled in default colours, then the region is reset")
    func scrolling() {
        let lines: [TerminalText] = ["a long first line", "some second line", "and a third line.", "head and foot"]
        func draw(_ grid: inout CellGrid, _ rows: [Int?]) {
            for (row, line) in rows.enumerated() {
                grid.fill(CellArea(row: row, columns: 20, rows: 1), with: .plain)
                if let line { grid.put(lines[line], at: CellPosition(column: 0, row: row)) }
            }
        }
        let up = change(from: { draw(&$0, [3, 0, 1, 2]) }, to: { draw(&$0, [3, 1, 2, 0]) })
        #expect(up == "\\e[2;4r\\e[S\\e[r\\e[4Ha long first line")
        let down = change(from: { draw(&$0, [0, 1, 3, nil]) }, to: { draw(&$0, [nil, 0, 1, 3]) })
        #expect(down == "\\e[T")
        let without = change(scrolls: false, from: { draw(&$0, [3, 0, 1, 2]) }, to: { draw(&$0, [3, 1, 2, 0]) })
        #expect(!without.contains("\\e[S") && !without.contains("\\e[r"))
    }

    @Test("Without colour no SGR is sent")
    func monochrome() {
        var painter = Painter(size: size, depth: .monochrome)
        var grid = CellGrid(size: size, style: CellStyle(background: .palette(4)))
        grid.put("ab", at: at(0, 0), in: CellStyle(foreground: .rgb(RGB(1, 2, 3)), [.bold, .reverse]))
        #expect(body(painter.paint(grid)) == "\\e[?25l\\e[r\\e[2J\\e[Hab")
    }

    @Test("Colours outside a palette become its nearest")
    func palettes() {
        let red = CellStyle(foreground: .rgb(RGB(255, 0, 0)), background: .palette(21))
        #expect(change(.palette256) { $0.put("a", at: at(0, 0), in: red) } == "\\e[H\\e[38;5;196;48;5;21ma\\e[0m")
        #expect(change(.palette16) { $0.put("a", at: at(0, 0), in: red) } == "\\e[H\\e[91;44ma\\e[0m")
    }

    @Test("The cursor is hidden during writes and placed at the end")
    func cursor() {
        for (from, to, expected) in [
            (nil, at(3, 2), "\\e[3;4H\\e[?25h"), (at(3, 2), at(4, 2), "\\e[3;5H"), (at(3, 2), nil, "\\e[?25l"),
            (at(3, 2), at(20, 0), "\\e[?25l"),
        ] as [(CellPosition?, CellPosition?, String)] {
            #expect(change(from: { $0.cursor = from }, to: { $0.cursor = to }) == expected)
        }
        let written = change(
            from: { $0.cursor = at(0, 0) },
            to: { grid in
                grid.put("a", at: at(0, 0))
                grid.cursor = at(1, 0)
            })
        #expect(written == "\\e[?25l\\e[Ha\\e[1;2H\\e[?25h")
    }

    @Test("Visible graphemes survive thousands of others")
    func manyClusters() {
        var painter = Painter(size: size, depth: .truecolor)
        var terminal = TerminalModel(size: size)
        var grid = CellGrid(size: size)
        grid.put("e\u{301}", at: at(0, 0))
        for number in 0..<4500 {
            let marks = [number % 20, number / 20 % 20, number / 400].compactMap { Unicode.Scalar(0x300 + UInt32($0)) }
            var text = "a"
            text.unicodeScalars.append(contentsOf: marks)
            grid.put(TerminalText(cleaning: text), at: at(number % 20, 1 + number % 3))
            let bytes = painter.paint(grid).bytes.raw
            // One cell takes few bytes, also after compaction: its neighbours are not sent again.
            if number > 0, bytes.count > 50 { Issue.record("\(bytes.count) bytes for cluster \(number)") }
            terminal.read(bytes)
            guard number % 500 == 0 else { continue }
            #expect(terminal.difference(from: grid) == nil)
        }
        #expect(terminal.difference(from: grid) == nil)
    }

    @Test("A cell with a control character sends a replacement")
    func hostileCells() {
        for value: UInt32 in [0, 1, 0x1B, 0x7F, 0x9B] {
            let text = change { $0.cells[0] = Cell(glyph: value, style: CellStyle(background: .palette(1))) }
            #expect(text == "\\e[H\\e[41m\u{FFFD}\\e[0m", "\(value)")
        }
        let cluster = change {
            $0.cells[0] = Cell(glyph: Cell.graphemeBit | $0.graphemes.index(of: "\u{1B}[2J"), style: .plain)
        }
        #expect(cluster == "\\e[H \\e[G\u{FFFD}\\e[2G\\e[K")
    }
}
