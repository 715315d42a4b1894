import SpyglassPixels
import Testing

@testable import SpyglassTerminalUI

@Suite("CellGrid")
struct CellGridTests {
    private func grid(_ columns: Int, _ rows: Int = 1) -> CellGrid { CellGrid(size: CellSize(clamping: columns, rows)) }
    private let origin = CellPosition(column: 0, row: 0)

    @Test("Text is clipped, and its whole width is returned")
    func cutting() {
        var grid = grid(6, 2)
        #expect(grid.put("abcdefgh", at: CellPosition(column: -2, row: 0)) == 8)
        #expect(grid.put("12345678", at: origin, clip: CellArea(column: 2, row: 0, columns: 2, rows: 1)) == 8)
        grid.put("never", at: CellPosition(column: 0, row: 2))
        grid.put("never", at: CellPosition(column: 6, row: 1))
        grid.put("never", at: CellPosition(column: -9, row: 1))
        #expect(grid.description == "cd34gh\n")
    }

    @Test("A wide character cut by an edge leaves a space in its style")
    func cutWide() {
        let style = CellStyle(background: .palette(4))
        for text in ["日日", "👩‍🚀👩‍🚀"] as [TerminalText] {
            var grid = grid(3)
            grid.put("xxx", at: origin)
            grid.put(text, at: CellPosition(column: -1, row: 0), in: style)
            #expect(grid.cells[0] == Cell(" ", style))
            #expect(grid.cells[2].isContinuation)
        }
    }

    @Test("A half overwritten wide character leaves a space", arguments: [0, 1])
    func overwrittenHalf(_ column: Int) {
        for text in ["日", "👩‍🚀"] as [TerminalText] {
            var written = grid(2)
            written.put(text, at: origin)
            written.put("x", at: CellPosition(column: column, row: 0))
            #expect(written.text(ofRow: 0) == (column == 0 ? "x" : " x"))
            var filled = grid(2)
            filled.put(text, at: origin)
            filled.fill(CellArea(column: column, columns: 1, rows: 1), with: .plain)
            #expect(filled == grid(2))
        }
    }

    @Test("A wide character takes the style of its first cell")
    func restyling() {
        var grid = grid(5)
        grid.put("日本x", at: origin)
        grid.restyle(CellArea(column: 1, columns: 2, rows: 1)) { $0.attributes = .bold }
        #expect(grid.cells.map(\.style.attributes) == [[], [], .bold, .bold, []])
    }

    @Test("Grids are equal if they look alike")
    func equality() {
        var one = grid(8)
        one.put("👩‍🚀", at: origin)
        one.put("e\u{301}", at: CellPosition(column: 4, row: 0))
        var other = grid(8)
        other.put("e\u{301}", at: CellPosition(column: 4, row: 0))
        other.put("🇯🇵", at: origin)
        #expect(one != other)
        other.put("👩‍🚀", at: origin)
        #expect(one == other)
        // The foreground of a space is invisible.
        other.restyle(CellArea(column: 6, columns: 1, rows: 1)) { $0.foreground = .palette(3) }
        #expect(one == other)
        other.restyle(CellArea(column: 6, columns: 1, rows: 1)) { $0.background = .palette(3) }
        #expect(one != other)
    }

    @Test("An image's cell equals a letter's that looks alike")
    func equalPictures() {
        var blocks = SymbolEncoder(depth: .truecolor)
        var one = grid(1)
        one.put(blocks.cells(of: picture([[red], [blue]])), at: origin)
        var other = grid(1)
        let style = CellStyle(foreground: .rgb(RGB(255, 0, 0)), background: .rgb(RGB(0, 0, 255)))
        other.put("▀", at: origin, in: style)
        #expect(one == other)
    }

    @Test("Marks in another order are another grapheme")
    func canonicalOrder() {
        var table = GraphemeTable()
        #expect(table.index(of: "q\u{307}\u{323}") != table.index(of: "q\u{323}\u{307}"))
        #expect(table.index(of: "q\u{307}\u{323}") == 0)
    }
}
