import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

@Suite("CellLink")
struct CellLinkTests {
    private let size = CellSize(clamping: 30, 4)
    private let address = "https://images.nasa.gov/details/PIA00342"

    private func terminal() -> TerminalModel {
        TerminalModel(columns: size.columns, rows: size.rows) { TerminalText(cleaning: String($0)).width }
    }

    private func grid(_ text: TerminalText, linked: Bool) -> CellGrid {
        var grid = CellGrid(size: size)
        grid.put("a list", at: CellPosition(column: 0, row: 0))
        let width = grid.put(text, at: CellPosition(column: 2, row: 3))
        if linked { grid.link = CellLink(CellArea(column: 2, row: 3, columns: width, rows: 1), to: address) }
        return grid
    }

    private func links(_ terminal: TerminalModel) -> [Int] {
        terminal.cells.indices.filter { terminal.cells[$0].link == address }
    }

    @Test("Only its cells link to the URL")
    func shown() {
        var painter = Painter(size: size, depth: .truecolor)
        var terminal = terminal()
        terminal.read(painter.paint(grid("Page: NASA", linked: true)).bytes.raw)
        #expect(terminal.faults.isEmpty, "\(terminal.faults)")
        #expect(links(terminal) == Array(92..<102))
        #expect(terminal.text(ofRow: 3) == "  Page: NASA")
        #expect(painter.paint(grid("Page: NASA", linked: true)).bytes.isEmpty)
    }

    @Test("A removed link leaves its text without a link")
    func gone() {
        var painter = Painter(size: size, depth: .truecolor)
        var terminal = terminal()
        for linked in [false, true, false] {
            terminal.read(painter.paint(grid("Page: NASA", linked: linked)).bytes.raw)
            #expect(links(terminal).isEmpty != linked)
        }
        #expect(terminal.faults.isEmpty, "\(terminal.faults)")
    }

    @Test("Changed text stays linked, also after a repaint")
    func changed() {
        var painter = Painter(size: size, depth: .truecolor)
        var terminal = terminal()
        terminal.read(painter.paint(grid("Page: NASA", linked: true)).bytes.raw)
        terminal.read(painter.paint(grid("Page: nasa!", linked: true)).bytes.raw)
        #expect(links(terminal) == Array(92..<103))
        painter.forget()
        terminal.spoil()
        terminal.read(painter.paint(grid("Page: nasa!", linked: true)).bytes.raw)
        #expect(links(terminal) == Array(92..<103))
        #expect(terminal.faults.isEmpty, "\(terminal.faults)")
    }

    @Test("A limited frame sends the link with its row")
    func pieces() {
        var painter = Painter(size: size, depth: .truecolor)
        var terminal = terminal()
        var frame = painter.paint(grid("Page: NASA", linked: true), byteLimit: 1)
        #expect(!frame.isComplete)
        terminal.read(frame.bytes.raw)
        while !frame.isComplete {
            frame = painter.paint(grid("Page: NASA", linked: true), byteLimit: 1)
            terminal.read(frame.bytes.raw)
        }
        #expect(links(terminal) == Array(92..<102))
        #expect(terminal.faults.isEmpty, "\(terminal.faults)")
    }

    @Test("Invalid, long and off-screen URLs make no link")
    func refused() {
        let area = CellArea(column: 0, row: 0, columns: 5, rows: 1)
        for bad in ["", "https://a b", "https://a\u{1B}\\", "https://\u{E9}", String(repeating: "a", count: 2084)] {
            #expect(CellLink(area, to: bad) == nil)
        }
        #expect(CellLink(CellArea(columns: 5, rows: 2), to: address) == nil)
        var painter = Painter(size: size, depth: .truecolor)
        var grid = CellGrid(size: size)
        grid.link = CellLink(CellArea(column: 28, row: 9, columns: 5, rows: 1), to: address)
        var terminal = terminal()
        terminal.read(painter.paint(grid).bytes.raw)
        #expect(links(terminal).isEmpty && terminal.faults.isEmpty)
    }
}
