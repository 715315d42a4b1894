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

/// The sub-pixels that a character fills, from its code point: two columns of twelve rows, which every grid divides.
///
/// Written apart from the encoder's tables, from code point to pattern.
struct SymbolShape: Hashable {
    /// Rows from the top, each from the left.
    let filled: [Bool]
    static let columns = 2
    static let rows = 12

    /// The shape of a space, a block element, a sextant or an octant; `nil` for another character.
    init?(_ scalar: Unicode.Scalar) {
        let value = Int(scalar.value)
        if scalar == " " {
            self.init(columns: 1, rows: 1, pattern: 0)
        } else if let block = Self.blocks[scalar] {
            self.init(columns: 2, rows: 4, pattern: block)
        } else if (0x1FB00...0x1FB3B).contains(value) {
            // BLOCK SEXTANT-1 onwards; the left half (0x15) and the right half (0x2A) were encoded before.
            var pattern = value - 0x1FB00 + 1
            if pattern >= 0x15 { pattern += 1 }
            if pattern >= 0x2A { pattern += 1 }
            self.init(columns: 2, rows: 3, pattern: pattern)
        } else if (0x1CD00...0x1CDE5).contains(value) {
            // BLOCK OCTANT-3 onwards: the patterns that no other block has.
            let others = Set(Self.blocks.values).union([0])
            let patterns = (0..<256).filter { !others.contains($0) }
            self.init(columns: 2, rows: 4, pattern: patterns[value - 0x1CD00])
        } else {
            return nil
        }
    }

    init(columns: Int, rows: Int, pattern: Int) {
        filled = (0..<Self.rows * Self.columns).map { at in
            let row = at / Self.columns * rows / Self.rows
            let column = at % Self.columns * columns / Self.columns
            return pattern >> (row * columns + column) & 1 == 1
        }
    }

    /// Characters of other blocks by the octant pattern of the same shape.
    private static let blocks: [Unicode.Scalar: Int] = [
        "▀": 0b0000_1111, "▄": 0b1111_0000, "█": 0b1111_1111, "▌": 0b0101_0101, "▐": 0b1010_1010,
        "▘": 0b0000_0101, "▝": 0b0000_1010, "▖": 0b0101_0000, "▗": 0b1010_0000, "▚": 0b1010_0101, "▞": 0b0101_1010,
        "▛": 0b0101_1111, "▜": 0b1010_1111, "▙": 0b1111_0101, "▟": 0b1111_1010, "▂": 0b1100_0000, "▆": 0b1111_1100,
        "\u{1FB82}": 0b0000_0011, "\u{1FB85}": 0b0011_1111, "\u{1FBE6}": 0b0001_0100, "\u{1FBE7}": 0b0010_1000,
        "\u{1CEA8}": 0b0000_0001, "\u{1CEAB}": 0b0000_0010, "\u{1CEA3}": 0b0100_0000, "\u{1CEA0}": 0b1000_0000,
    ]
}
