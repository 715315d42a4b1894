/// Columns as `wcwidth` in xterm, VTE and tmux: a grapheme has its scalars' sum, since some terminals draw vowel signs apart.
///
/// Emoji sequences have two, ambiguous characters one. If terminals disagree the larger counts: a gap does not break the line.
enum CharacterWidth {
    enum ScalarWidth {
        case zero
        case narrow
        case wide
        /// Narrow alone, wide before U+FE0F (the emoji form).
        case narrowEmoji
    }

    static let zeroWidthJoiner: Unicode.Scalar = "\u{200D}"
    static let emojiSelector: Unicode.Scalar = "\u{FE0F}"
    private static let skinTones: ClosedRange<Unicode.Scalar> = "\u{1F3FB}"..."\u{1F3FF}"
    private static let regionalIndicators: ClosedRange<Unicode.Scalar> = "\u{1F1E6}"..."\u{1F1FF}"

    /// Wide scalars that are neither unassigned nor emoji: East_Asian_Width, with the symbols of hexagrams (wide since
    /// Unicode 16).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E, 0x3041...0x3247,
        0x3250...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAD9, 0xFE10...0xFE6B, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x187F7, 0x18800...0x1B2FB, 0x1F1E6...0x1F265, 0x20000...0x3FFFD,
    ]
    /// Vowels and finals of Hangul (Hangul_Syllable_Type V and T): they stand in the cell of the leading consonant.
    private static let joiningHangul: [ClosedRange<UInt32>] = [0x1160...0x11FF, 0xD7B0...0xD7C6, 0xD7CB...0xD7FB]
    /// Format characters that are seen: prepended concatenation marks (PropList.txt).
    private static let visibleFormats: Set<UInt32> = [
        0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD,
    ]

    static func ofScalar(_ scalar: Unicode.Scalar) -> ScalarWidth {
        let value = scalar.value
        switch value {
        // Common blocks without marks and emoji: a property takes 100 ns.
        case 0x20...0x22, 0x24...0x29, 0x2B...0x2F, 0x3A...0x7E, 0xAF...0x2FF, 0x3A3...0x482, 0x48A...0x52F,
            0x2010...0x2027:
            return .narrow
        case 0x3041...0x3096, 0x309B...0x30FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3: return .wide
        default: break
        }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: return .zero
        case .format where !visibleFormats.contains(value): return .zero
        // If terminals disagree, the larger width counts.
        case .unassigned: return .wide
        default: break
        }
        if joiningHangul.contains(where: { $0.contains(value) }) { return .zero }
        guard value < 0xB0 || value >= 0x1100 else { return .narrow }
        if properties.isEmojiPresentation || wide.contains(where: { $0.contains(value) }) { return .wide }
        return properties.isEmoji ? .narrowEmoji : .narrow
    }

    static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        let leading = ofScalar(first)
        var columns = leading == .zero ? 0 : leading == .wide ? 2 : 1
        guard scalars.count > 1 else { return columns }
        let isEmoji = leading == .wide || leading == .narrowEmoji
        var previous = first
        for scalar in scalars.dropFirst() {
            defer { previous = scalar }
            let isTone = skinTones.contains(scalar)
            let joinsTone = isTone && previous.properties.isEmojiModifierBase
            let joinsEmoji = !isTone && (scalar == emojiSelector || previous == zeroWidthJoiner)
            if isEmoji, joinsTone || joinsEmoji {
                columns = max(columns, 2)
            } else if regionalIndicators.contains(scalar) {
                continue
            } else {
                switch ofScalar(scalar) {
                case .zero: continue
                case .narrow, .narrowEmoji: columns += 1
                case .wide: columns += 2
                }
            }
        }
        return columns
    }

    static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + of($1) } }
}
