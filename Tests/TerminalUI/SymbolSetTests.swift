import SpyglassPixels
import Testing

@testable import SpyglassTerminalUI

@Suite("SymbolSet")
struct SymbolSetTests {
    private func shape(_ glyph: UInt32) throws -> SymbolShape {
        try #require(Unicode.Scalar(glyph).flatMap { SymbolShape($0) }, "U+\(String(glyph, radix: 16))")
    }

    @Test("Every pattern has the character of its shape", arguments: SymbolSet.allCases)
    func shapes(_ symbols: SymbolSet) throws {
        let patterns = 1 << symbols.grid.pixelCount
        for pattern in 0..<patterns {
            let expected = SymbolShape(columns: symbols.grid.width, rows: symbols.grid.height, pattern: pattern)
            #expect(try shape(symbols.table.glyphs[pattern]) == expected, "pattern \(pattern)")
        }
        #expect(Set((0..<patterns).map { symbols.table.glyphs[$0] }).count == patterns)
    }

    @Test("Quadrants are block elements; sextants and octants are by Unicode")
    func names() {
        let quadrants = (0..<16).compactMap { Unicode.Scalar(SymbolSet.quadrant.table.glyphs[$0]).map(Character.init) }
        #expect(String(quadrants) == " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")
        // BLOCK SEXTANT-1, -35, -235, -246 (the right half), -1246 and -23456.
        let sextants = [0x01, 0x14, 0x16, 0x2A, 0x2B, 0x3E].map { SymbolSet.sextant.table.glyphs[$0] }
        #expect(sextants == [0x1FB00, 0x1FB13, 0x1FB14, 0x2590, 0x1FB28, 0x1FB3B])
        // BLOCK OCTANT-3, -23, -123, -4, -14 and -2345678.
        let octants = [0x04, 0x06, 0x07, 0x08, 0x09, 0xFE].map { SymbolSet.octant.table.glyphs[$0] }
        #expect(octants == [0x1CD00, 0x1CD01, 0x1CD02, 0x1CD03, 0x1CD04, 0x1CDE5])
    }

    @Test("On the default background a glyph adds at most one sub-pixel")
    func openGlyphs() throws {
        for (pattern, glyph) in SymbolSet.octant.table.open.enumerated() {
            let shape = try shape(glyph)
            let exact = SymbolShape(columns: 2, rows: 4, pattern: pattern)
            let added = zip(shape.filled, exact.filled).filter { $0 != $1 }
            #expect(added.allSatisfy { $0.0 } && added.count <= SymbolShape.rows / 4, "pattern \(pattern)")
            #expect(!(0x1CE00...0x1CEFF).contains(glyph) && !(0x1FBE0...0x1FBEF).contains(glyph))
        }
    }
}
