import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

@Suite("CellGrid")
struct CellGridTests {
    private func grid(_ columns: Int, _ rows: Int = 1) -> CellGrid { CellGrid(size: CellSize(clamping: columns, rows)) }
    private let origin = CellPosition(column: 0, row: 0)

    @Test("Text is clipped, and its whole width is returned")
    func cutting() {
        var grid = grid(6, 2)
        let widths = [
            grid.put("abcdefgh", at: CellPosition(column: -2, row: 0)),
            grid.put("12345678", at: origin, clip: CellArea(column: 2, row: 0, columns: 2, rows: 1)),
        ]
        grid.put("never", at: CellPosition(column: 0, row: 2))
        grid.put("never", at: CellPosition(column: 6, row: 1))
        grid.put("never", at: CellPosition(column: -9, row: 1))
        #expect(grid.description == "cd34gh\n" && widths == [8, 8])
    }

    @Test("A wide character cut by an edge leaves a space in its style")
    func cutWide() {
        let style = CellStyle(background: .palette(4))
        for text in ["日日", "👩‍🚀👩‍🚀"] as [TerminalText] {
            var grid = grid(3)
            grid.put("xxx", at: origin)
            grid.put(text, at: CellPosition(column: -1, row: 0), in: style)
            #expect(grid.cells[0] == Cell(" ", style) && grid.cells[2].isContinuation)
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
        var (one, other) = (grid(8), grid(8))
        one.put("👩‍🚀", at: origin)
        one.put("e\u{301}", at: CellPosition(column: 4, row: 0))
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
        var (one, other) = (grid(1), grid(1))
        one.put(blocks.cells(of: picture([[red], [blue]])), at: origin)
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

@Suite("CellImage")
struct CellImageTests {
    @Test("Cells look like the encoder's bytes", arguments: ColorDepth.allCases, SymbolSet.allCases)
    func likeEncoded(_ depth: ColorDepth, _ symbols: SymbolSet) {
        var generator = Seeded(7)
        for glyphs in [GlyphSet.utf8, .ascii] {
            var blocks = SymbolEncoder(symbols, depth: depth, glyphs: glyphs, background: RGB(30, 60, 90))
            for _ in 0..<100 {
                let picture = randomPicture(&generator, alphas: [0, 90, 255, 255])
                let drawn = blocks.dithered(picture)
                let image = blocks.cells(of: picture)
                var grid = CellGrid(size: CellSize(clamping: image.columns, image.rows))
                grid.put(image, at: CellPosition(column: 0, row: 0))
                // The encoder's rows at their positions.
                var terminal = TerminalModel(size: grid.size)
                terminal.read(Array("\u{1B}[?25l\u{1B}[?2026h".utf8))
                for row in 0..<image.rows {
                    var bytes = TerminalBytes()
                    blocks.append(row: row, of: drawn, to: &bytes)
                    terminal.read(Array("\u{1B}[\(row + 1)H".utf8) + bytes.raw)
                }
                terminal.read(Array("\u{1B}[?2026l".utf8))
                #expect(terminal.difference(from: grid) == nil)
            }
        }
    }
}

@Suite("CellLink")
struct CellLinkTests {
    private let size = CellSize(clamping: 30, 4)
    private let address = "https://images.nasa.gov/details/PIA00342"

    private var painter: Painter
    private var terminal: TerminalModel

    init() {
        painter = Painter(size: size, depth: .truecolor)
        terminal = TerminalModel(columns: size.columns, rows: size.rows) { TerminalText(cleaning: String($0)).width }
    }

    /// Paints a text until nothing is left to be sent; returns the cells that then link to the URL.
    private mutating func links(of text: TerminalText, isLinked: Bool = true, byteLimit: Int? = nil) -> [Int] {
        var grid = CellGrid(size: size)
        grid.put("a list", at: CellPosition(column: 0, row: 0))
        let width = grid.put(text, at: CellPosition(column: 2, row: 3))
        if isLinked { grid.link = CellLink(CellArea(column: 2, row: 3, columns: width, rows: 1), to: address) }
        var frame: PaintedFrame
        repeat {
            frame = painter.paint(grid, byteLimit: byteLimit)
            terminal.read(frame.bytes.raw)
        } while !frame.isComplete && !frame.bytes.isEmpty
        #expect(terminal.faults.isEmpty && painter.paint(grid).bytes.isEmpty, "\(terminal.faults)")
        #expect(terminal.text(ofRow: 3) == "  \(text)")
        return terminal.cells.indices.filter { terminal.cells[$0].link == address }
    }

    @Test("Only its cells link to the URL, until it is removed; a limited frame has it, too", arguments: [nil, 1])
    mutating func shown(byteLimit: Int?) {
        for (isLinked, cells) in [(true, 92..<102), (false, 92..<92), (true, 92..<102)] {
            #expect(links(of: "Page: NASA", isLinked: isLinked, byteLimit: byteLimit) == Array(cells))
        }
    }

    @Test("Changed text stays linked, also after a repaint")
    mutating func changed() {
        #expect(links(of: "Page: NASA") == Array(92..<102))
        #expect(links(of: "Page: nasa!") == Array(92..<103))
        painter.forget()
        terminal.spoil()
        #expect(links(of: "Page: nasa!") == Array(92..<103))
    }

    @Test("Invalid, long and off-screen URLs make no link")
    mutating func refused() {
        let area = CellArea(column: 0, row: 0, columns: 5, rows: 1)
        for bad in ["", "https://a b", "https://a\u{1B}\\", "https://\u{E9}", String(repeating: "a", count: 2084)] {
            #expect(CellLink(area, to: bad) == nil)
        }
        #expect(CellLink(CellArea(columns: 5, rows: 2), to: address) == nil)
        var grid = CellGrid(size: size)
        grid.link = CellLink(CellArea(column: 28, row: 9, columns: 5, rows: 1), to: address)
        terminal.read(painter.paint(grid).bytes.raw)
        #expect(terminal.cells.allSatisfy { $0.link == nil } && terminal.faults.isEmpty)
    }
}
