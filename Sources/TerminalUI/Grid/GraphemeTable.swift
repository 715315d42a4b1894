/// Graphemes of more than one scalar, each stored once under an index.
struct GraphemeTable: Sendable {
    private(set) var texts: [String] = []
    /// By their bytes: `String` ignores the order of accents, which terminals do not.
    private var indexes: [[UInt8]: UInt32] = [:]

    var isEmpty: Bool { texts.isEmpty }
    var count: Int { texts.count }

    mutating func index(of text: String) -> UInt32 {
        let key = Array(text.utf8)
        if let known = indexes[key] { return known }
        let index = UInt32(texts.count)
        texts.append(text)
        indexes[key] = index
        return index
    }

    mutating func compact(_ cells: inout [Cell]) {
        var kept = GraphemeTable()
        for at in cells.indices where cells[at].isGrapheme {
            cells[at].glyph = Cell.graphemeBit | kept.index(of: texts[cells[at].graphemeIndex])
        }
        self = kept
    }
}

struct EncodedGrapheme: Sendable {
    let bytes: [UInt8]
    let hasCertainWidth: Bool
    /// The columns in a terminal that draws scalar by scalar.
    let maxColumns: Int

    init(_ text: String) {
        let isHarmless = text.unicodeScalars.allSatisfy { !Self.isControl($0.value) }
        bytes = Array((isHarmless ? text : "\u{FFFD}").utf8)
        hasCertainWidth = isHarmless && Self.hasCertainWidth(text)
        maxColumns = text.unicodeScalars.reduce(0) { columns, scalar in
            switch CharacterWidth.ofScalar(scalar) {
            case .zero: columns
            case .narrow: columns + 1
            case .wide, .narrowEmoji: columns + 2
            }
        }
    }

    /// C0, DEL and C1.
    static func isControl(_ value: UInt32) -> Bool { value < 0x20 || (0x7F..<0xA0).contains(value) }

    /// Whether terminals disagree on a scalar's columns or join it: emoji, halves of flags, leading Hangul consonants.
    ///
    /// Not on U+1FB00 to U+1FBFF, which divide a cell.
    static func hasUncertainWidth(_ value: UInt32) -> Bool {
        value >= 0x1100
            && (value >= 0x1_F000 && value >> 8 != 0x1FB || value <= 0x115F || (0xA960...0xA97C).contains(value))
    }

    /// Every `wcwidth` agrees on a letter with marks of width zero.
    private static func hasCertainWidth(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, !hasUncertainWidth(first.value),
            CharacterWidth.ofScalar(first) != .narrowEmoji
        else { return false }
        return text.unicodeScalars.dropFirst().allSatisfy { scalar in
            // U+20E3, the keycap, is an enclosing mark and makes an emoji.
            scalar != CharacterWidth.emojiSelector && scalar.properties.generalCategory == .nonspacingMark
                && CharacterWidth.ofScalar(scalar) == .zero
        }
    }
}
