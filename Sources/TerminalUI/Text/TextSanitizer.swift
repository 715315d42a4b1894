/// Replaces controls and invalid UTF-8, drops invisible and reordering characters, limits marks and graphemes.
enum TextSanitizer {
    /// Marks on one character: Tibetan and polytonic Greek need four, emoji two.
    static let maxMarkCount = 6
    /// Scalars of one grapheme: a family of four with skin tones has eleven.
    static let maxGrapheme = 16
    private static let replacement: Unicode.Scalar = "\u{FFFD}"

    static func clean(_ text: String, limit: Int) -> TerminalText {
        let count = text.utf8.count
        if count <= limit, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            return TerminalText(clean: text, width: count)
        }
        var cleaner = ScalarCleaner()
        var read = 0
        for scalar in text.unicodeScalars {
            if read >= limit {
                cleaner.truncate()
                break
            }
            read += 1
            cleaner.add(scalar)
        }
        return repaired(cleaner.finish())
    }

    private static func repaired(_ text: String) -> TerminalText {
        var width = 0
        var isSound = true
        for character in text {
            let columns = CharacterWidth.of(character)
            width += columns
            if columns == 0 || isTooLong(character) { isSound = false }
        }
        if isSound { return TerminalText(clean: text, width: width) }
        let sound = String(text.map { isTooLong($0) || CharacterWidth.of($0) == 0 ? Character(replacement) : $0 })
        return TerminalText(clean: sound, width: CharacterWidth.of(sound))
    }

    private static func isTooLong(_ character: Character) -> Bool {
        character.utf8.count > maxGrapheme && character.unicodeScalars.count > maxGrapheme
    }
}

/// Cleans scalar by scalar, before graphemes are checked.
private struct ScalarCleaner {
    private var output = String.UnicodeScalarView()
    private var last: Unicode.Scalar?
    private var marks = 0
    private var breakIsPending = false

    mutating func add(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x20...0x7E: append(scalar)
        case 0x09...0x0D, 0x85, 0x2028, 0x2029: breakIsPending = last != nil
        case 0..<0x20, 0x7F...0x9F: append("\u{FFFD}")
        case 0xA0...0xAC, 0xAE...0x2FF: append(scalar)
        case 0x2000...0x200A, 0x205F: append(" ")
        case 0x202F: append("\u{A0}")
        case 0x200C, 0x200D: addJoiner(scalar)
        case 0xFE0F: addEmojiSelector()
        // Common blocks without special scalars.
        case 0x370...0x482, 0x2010...0x2027, 0x2030...0x205E, 0x2070...0x20CF, 0x2100...0x2CEE, 0x3001...0x3029,
            0x3030...0x3098, 0x309B...0x3163, 0x3165...0xA4CF, 0xAC00...0xD7A3, 0x1F000...0x1F3FA, 0x1F400...0x1FAFF:
            append(scalar)
        default: addOther(scalar)
        }
    }

    mutating func truncate() { append("…") }

    /// The text so far, without trailing joiners, which would affect the next output.
    mutating func finish() -> String {
        while let end = output.last, end == "\u{200C}" || end == "\u{200D}" { output.removeLast() }
        return String(output)
    }

    private mutating func addOther(_ scalar: Unicode.Scalar) {
        let properties = scalar.properties
        if properties.isNoncharacterCodePoint { return append("\u{FFFD}") }
        if properties.isDefaultIgnorableCodePoint { return }
        let width = CharacterWidth.ofScalar(scalar)
        switch properties.generalCategory {
        case .format where width == .zero: return
        case .nonspacingMark, .enclosingMark, .spacingMark:
            guard last != nil, !breakIsPending else { return }
        default: break
        }
        guard width == .zero else { return append(scalar) }
        appendMark(scalar)
    }

    private mutating func addJoiner(_ scalar: Unicode.Scalar) {
        guard let last, !last.isASCII, !breakIsPending else { return }
        appendMark(scalar)
    }

    /// Terminals disagree on the selector's width elsewhere.
    private mutating func addEmojiSelector() {
        guard let last, !breakIsPending, CharacterWidth.ofScalar(last) == .narrowEmoji else { return }
        appendMark("\u{FE0F}")
    }

    private mutating func appendMark(_ scalar: Unicode.Scalar) {
        guard marks < TextSanitizer.maxMarkCount else { return }
        flushBreak()
        marks += 1
        output.append(scalar)
        last = scalar
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        flushBreak()
        marks = 0
        output.append(scalar)
        last = scalar
    }

    private mutating func flushBreak() {
        guard breakIsPending else { return }
        breakIsPending = false
        if last != " " { output.append(" ") }
        last = " "
        marks = 0
    }
}
