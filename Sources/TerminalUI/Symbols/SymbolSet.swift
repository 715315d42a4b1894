package import SpyglassPixels

/// The characters that divide a cell into sub-pixels of two colours.
///
///     let box = SymbolSet.octant.pixelBox(for: CellSize(clamping: 60, 30))  // 120x120
package enum SymbolSet: String, Hashable, Sendable, CaseIterable {
    /// Two by two, split into halves: `▀` or `▌`, in every font.
    case half
    /// Two by two: `▚` and the like (U+2596 to U+259F).
    case quadrant
    /// Two by three (Unicode 13, U+1FB00 to U+1FB3B).
    case sextant
    /// Two by four (Unicode 16, U+1CD00 to U+1CDE5).
    case octant

    /// Sub-pixels of a cell.
    package var grid: PixelSize { PixelSize(width: width, height: height) }

    var width: Int { 2 }

    var height: Int {
        switch self {
        case .half, .quadrant: 2
        case .sextant: 3
        case .octant: 4
        }
    }

    /// Returns the sub-pixels of a box of cells.
    package func pixelBox(for cells: CellSize) -> PixelSize {
        PixelSize(width: cells.columns * width, height: cells.rows * height)
    }

    /// Returns the columns of cells of an image; the last one may be incomplete.
    package func columnCount(of size: PixelSize) -> Int { (size.width + width - 1) / width }

    /// Returns the rows of cells of an image; the last one may be incomplete.
    package func rowCount(of size: PixelSize) -> Int { (size.height + height - 1) / height }

    /// Returns the width by the height of one sub-pixel in cells of this shape.
    package func pixelAspect(of cell: CellAspect) -> Double {
        Double(cell.width * height) / Double(cell.height * width)
    }
}

extension SymbolSet {
    /// The character of each pattern, as Unicode 16 encodes it.
    ///
    /// In a pattern, bit `width * row + column` is set where a sub-pixel has the foreground. Pattern 0 is a space.
    var table: SymbolTable {
        switch self {
        case .half, .quadrant: Self.quadrants
        case .sextant: Self.sextants
        case .octant: Self.octants
        }
    }

    private static let quadrants = SymbolTable([
        0x20, 0x2598, 0x259D, 0x2580, 0x2596, 0x258C, 0x259E, 0x259B,
        0x2597, 0x259A, 0x2590, 0x259C, 0x2584, 0x2599, 0x259F, 0x2588,
    ])

    /// U+1FB00 onwards, without the patterns that are block elements.
    private static let sextants = SymbolTable(
        consecutive(64, from: 0x1FB00, except: [0: 0x20, 0x15: 0x258C, 0x2A: 0x2590, 0x3F: 0x2588]))

    /// U+1CD00 onwards, without the patterns of other blocks.
    private static let octants = SymbolTable(
        consecutive(
            256, from: 0x1CD00,
            except: [
                0x00: 0x20, 0x01: 0x1CEA8, 0x02: 0x1CEAB, 0x03: 0x1FB82, 0x05: 0x2598, 0x0A: 0x259D, 0x0F: 0x2580,
                0x14: 0x1FBE6, 0x28: 0x1FBE7, 0x3F: 0x1FB85, 0x40: 0x1CEA3, 0x50: 0x2596, 0x55: 0x258C, 0x5A: 0x259E,
                0x5F: 0x259B, 0x80: 0x1CEA0, 0xA0: 0x2597, 0xA5: 0x259A, 0xAA: 0x2590, 0xAF: 0x259C, 0xC0: 0x2582,
                0xF0: 0x2584, 0xF5: 0x2599, 0xFA: 0x259F, 0xFC: 0x2586, 0xFF: 0x2588,
            ]),
        // One sub-pixel more. U+1FB82 and U+1FB85 need no substitute: Unicode 13 has them.
        similar: [0x01: 0x05, 0x02: 0x0A, 0x14: 0x15, 0x28: 0x2A, 0x40: 0x50, 0x80: 0xA0])

    private static func consecutive(_ count: Int, from first: UInt32, except others: [Int: UInt32]) -> [UInt32] {
        var next = first
        return (0..<count).map { pattern in
            if let other = others[pattern] { return other }
            defer { next += 1 }
            return next
        }
    }
}

/// The characters of a symbol set by pattern.
struct SymbolTable: Sendable {
    let glyphs: [UInt32]
    /// The characters that every terminal with the set draws; 0 for others.
    ///
    /// foot never draws U+1CEA0 to U+1CEAB, U+1FBE6 and U+1FBE7; kitty draws them since 0.47. For a 0, the complement
    /// with swapped colours looks the same.
    let common: [UInt32]
    /// The characters on the terminal's own background, which cannot be swapped with a foreground.
    ///
    /// Where few terminals draw the exact character, a similar one.
    let open: [UInt32]

    fileprivate init(_ glyphs: [UInt32], similar: [Int: Int] = [:]) {
        self.glyphs = glyphs
        common = glyphs.map { Self.isCommon($0) ? $0 : 0 }
        open = glyphs.indices.map { glyphs[similar[$0] ?? $0] }
    }

    /// Whether a character is a block element, a sextant or an octant of U+1CD00 to U+1CDE5.
    private static func isCommon(_ glyph: UInt32) -> Bool {
        (0x2580...0x259F).contains(glyph) || (0x1FB00...0x1FB3B).contains(glyph) || (0x1CD00...0x1CDE5).contains(glyph)
    }
}
