/// A character of several scalars as it is sent.
struct EncodedGrapheme: Sendable {
    let bytes: [UInt8]
    /// Whether all terminals give it the same columns.
    let isSteady: Bool
    /// The columns that it takes on a terminal that draws scalar by scalar.
    let reach: Int

    init(_ text: String) {
        let isHarmless = text.unicodeScalars.allSatisfy { !Self.isControl($0.value) }
        bytes = Array((isHarmless ? text : "\u{FFFD}").utf8)
        isSteady = isHarmless && Self.isSteady(text)
        reach = text.unicodeScalars.reduce(0) { columns, scalar in
            switch CharacterWidth.ofScalar(scalar) {
            case .zero: columns
            case .narrow: columns + 1
            case .wide, .narrowEmoji: columns + 2
            }
        }
    }

    /// C0, DEL and C1.
    static func isControl(_ value: UInt32) -> Bool { value < 0x20 || (0x7F..<0xA0).contains(value) }

    /// Whether terminals may disagree on the columns of a scalar, or join it to what is printed before or behind it:
    /// emoji, which tables of other years lack, halves of flags, and leading consonants of Hangul.
    static func isUnsteady(_ value: UInt32) -> Bool {
        value >= 0x1100 && (value >= 0x1_F000 || value <= 0x115F || (0xA960...0xA97C).contains(value))
    }

    /// A letter with marks that take no room is measured alike by every `wcwidth`.
    private static func isSteady(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, !isUnsteady(first.value),
            CharacterWidth.ofScalar(first) != .narrowEmoji
        else { return false }
        return text.unicodeScalars.dropFirst().allSatisfy { scalar in
            // U+20E3, the keycap, is an enclosing mark and makes an emoji.
            scalar != CharacterWidth.emojiSelector && scalar.properties.generalCategory == .nonspacingMark
                && CharacterWidth.ofScalar(scalar) == .zero
        }
    }
}
