import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

@Suite("CellImage")
struct CellImageTests {
    /// Transparent, half transparent and opaque pixels of few colours, with an odd height half of the time.
    private func randomPicture(_ generator: inout Seeded) -> PixelBuffer {
        var buffer = PixelBuffer(
            size: PixelSize(
                width: Int.random(in: 1...12, using: &generator), height: Int.random(in: 1...9, using: &generator)))
        let colors = (0..<4).map { _ in
            RGBA(
                UInt8.random(in: 0...255, using: &generator), UInt8.random(in: 0...255, using: &generator),
                UInt8.random(in: 0...255, using: &generator), [0, 90, 255, 255].randomElement(using: &generator) ?? 0)
        }
        for y in 0..<buffer.size.height {
            for x in 0..<buffer.size.width { buffer[x, y] = colors[Int.random(in: 0..<4, using: &generator)] }
        }
        return buffer
    }

    @Test("Cells look like the encoder's bytes", arguments: ColorDepth.allCases, SymbolSet.allCases)
    func likeEncoded(_ depth: ColorDepth, _ symbols: SymbolSet) {
        var generator = Seeded(7)
        for glyphs in [GlyphSet.utf8, .ascii] {
            var blocks = SymbolEncoder(symbols, depth: depth, glyphs: glyphs, background: RGB(30, 60, 90))
            for _ in 0..<100 {
                let picture = randomPicture(&generator)
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
