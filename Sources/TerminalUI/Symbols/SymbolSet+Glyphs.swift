extension SymbolSet {
    /// The character of each pattern, as Unicode 16 encodes it.
    ///
    /// In a pattern, bit `width * row + column` is set where a sub-pixel has the foreground. Pattern 0 is a space.
    var table: SymbolTable {
        switch self {
        case .half: Self.halves
        case .quadrant: Self.quadrants
        case .sextant: Self.sextants
        case .octant: Self.octants
        }
    }

    private static let halves = SymbolTable([0x20, 0x2580, 0x2584, 0x2588])

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
        common = glyphs.map { Self.index(of: $0) == nil ? 0 : $0 }
        open = glyphs.indices.map { glyphs[similar[$0] ?? $0] }
    }

    /// Returns the character with both sides swapped; `nil` if it is not a common one.
    static func complement(of glyph: UInt32) -> UInt32? {
        guard let index = index(of: glyph) else { return nil }
        let complement = complements[index]
        return complement == 0 ? nil : complement
    }

    private static let complements: [UInt32] = {
        var complements = [UInt32](repeating: 0, count: indexCount)
        for set in SymbolSet.allCases {
            for (glyph, complement) in zip(set.table.common, set.table.common.reversed()) {
                if let index = index(of: glyph) { complements[index] = complement }
            }
        }
        return complements
    }()

    private static let indexCount = 32 + 60 + 230

    /// A number for each block element, sextant and octant.
    @inline(__always)
    private static func index(of glyph: UInt32) -> Int? {
        switch glyph {
        case 0x2580...0x259F: Int(glyph) - 0x2580
        case 0x1FB00...0x1FB3B: Int(glyph) - 0x1FB00 + 32
        case 0x1CD00...0x1CDE5: Int(glyph) - 0x1CD00 + 32 + 60
        default: nil
        }
    }
}
