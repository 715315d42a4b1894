/// How many columns characters take in a terminal.
///
/// Scalars are measured by `WidthTable`, as `wcwidth` does in xterm, VTE and tmux; a grapheme is the sum of its scalars
/// (so that a terminal that draws spacing vowel signs in cells of their own has room for them), except that emoji
/// sequences (modifiers, ZWJ, flags, keycaps) are two columns together. Ambiguous characters are narrow. Where
/// terminals disagree the larger number is taken: a column too many leaves a gap, one too few breaks the line.
enum CharacterWidth {
    /// What `WidthTable` says of a scalar; the raw values are those of the generating script.
    enum ScalarWidth: UInt32 {
        case zero
        case narrow
        case wide
        /// Narrow by itself, wide when U+FE0F asks for its emoji form.
        case narrowEmoji
    }

    static let zeroWidthJoiner: Unicode.Scalar = "\u{200D}"
    static let emojiSelector: Unicode.Scalar = "\u{FE0F}"
    private static let skinTones: ClosedRange<Unicode.Scalar> = "\u{1F3FB}"..."\u{1F3FF}"
    private static let regionalIndicators: ClosedRange<Unicode.Scalar> = "\u{1F1E6}"..."\u{1F1FF}"

    /// The class of a scalar: at once for ASCII, Chinese and Korean, else by halving the table.
    static func ofScalar(_ scalar: Unicode.Scalar) -> ScalarWidth {
        switch scalar.value {
        case 0x20...0x22, 0x24...0x29, 0x2B...0x2F, 0x3A...0x7E: return .narrow
        // What a keycap can stand on: a number sign, a star, digits.
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

    /// The columns of one grapheme.
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

    /// The columns of a text, grapheme by grapheme.
    static func of(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + of($1) }
    }
}
