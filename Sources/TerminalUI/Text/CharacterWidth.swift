/// Columns as `wcwidth` in xterm, VTE and tmux: a grapheme has its scalars' sum, since some terminals draw vowel signs apart.
///
/// Emoji sequences have two, ambiguous characters one. If terminals disagree the larger counts: a gap does not break the line.
enum CharacterWidth {
    /// The classes of `WidthTable`, with the raw values of the generating script.
    enum ScalarWidth: UInt32 {
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

    /// The class of a scalar: directly for ASCII, Chinese and Korean, else by binary search.
    static func ofScalar(_ scalar: Unicode.Scalar) -> ScalarWidth {
        switch scalar.value {
        case 0x20...0x22, 0x24...0x29, 0x2B...0x2F, 0x3A...0x7E: return .narrow
        // The bases of keycaps: a number sign, a star, digits.
        case 0x23, 0x2A, 0x30...0x39: return .narrowEmoji
        case 0x4E00...0x9FFF, 0xAC00...0xD7A3: return .wide
        default: break
        }
        let steps = WidthTable.steps
        let key = scalar.value << 2 | 3
        var low = 0
        var high = steps.count
        while low < high {
            let middle = (low + high) / 2
            if steps[middle] <= key { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return .narrow }
        return ScalarWidth(rawValue: steps[low - 1] & 3) ?? .narrow
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
