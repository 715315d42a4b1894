extension TerminalText {
    /// The text in lines of at most so many columns.
    ///
    /// Lines break at spaces, which are dropped there, after a hyphen between letters, and around wide characters
    /// except before closing and after opening punctuation; a word longer than a line breaks at a grapheme. Where more
    /// lines would come than `maxLines`, the last one ends with an ellipsis. A grapheme that is wider than a line is
    /// replaced by one column. Linear in the text's length; an empty text has no lines.
    ///
    /// - Parameters:
    ///   - columns: width of a line; less than 1 counts as 1.
    ///   - maxLines: most lines to return.
    ///   - glyphs: the characters that the lines may hold.
    /// - Returns: the lines from the top, none of them wider than `columns`.
    public func wrapped(to columns: Int, maxLines: Int = .max, glyphs: GlyphSet = .utf8) -> [TerminalText] {
        guard maxLines > 0 else { return [] }
        let columns = max(columns, 1)
        var wrapper = LineWrapper(
            shown(in: glyphs).replacingGraphemes(widerThan: columns, glyphs), columns: columns, maxLines: maxLines,
            glyphs)
        return wrapper.lines()
    }

    private func replacingGraphemes(widerThan columns: Int, _ glyphs: GlyphSet) -> TerminalText {
        // No grapheme is wider than all of its scalars would be.
        guard columns < 2 * TextSanitizer.maxGrapheme, string.contains(where: { CharacterWidth.of($0) > columns })
        else {
            return self
        }
        let stand: Character = glyphs == .utf8 ? "\u{FFFD}" : "?"
        let narrow = String(string.map { CharacterWidth.of($0) > columns ? stand : $0 })
        return TerminalText(clean: narrow, width: CharacterWidth.of(narrow))
    }
}

/// Breaks one text into lines, greedily.
private struct LineWrapper {
    private let text: TerminalText
    private let columns: Int
    private let maxLines: Int
    private let glyphs: GlyphSet
    private var result: [TerminalText] = []

    /// A place in the text, and the columns of all that stands before it.
    private struct Place {
        var index: String.Index
        var column: Int
    }

    /// Where a line may end and the next one begin; between them are spaces.
    private struct Opportunity {
        var end: Place
        var next: Place
    }

    init(_ text: TerminalText, columns: Int, maxLines: Int, _ glyphs: GlyphSet) {
        self.text = text
        self.columns = columns
        self.maxLines = maxLines
        self.glyphs = glyphs
    }

    mutating func lines() -> [TerminalText] {
        let string = text.string
        var at = Place(index: string.startIndex, column: 0)
        var start = at
        var opportunity: Opportunity?
        var previous: Character?
        while at.index < string.endIndex {
            let character = string[at.index]
            let after = Place(
                index: string.index(after: at.index), column: at.column + CharacterWidth.of(character))
            if character == " " {
                let end = previous == " " ? opportunity?.end ?? at : at
                opportunity = Opportunity(end: end, next: after)
            } else {
                if let previous, previous != " ", LineBreak.isAllowed(between: previous, and: character) {
                    opportunity = Opportunity(end: at, next: at)
                }
                // Twice at most: what follows the opportunity may be too long with this grapheme, not without it.
                while after.column - start.column > columns, start.index < at.index {
                    let cut = opportunity ?? Opportunity(end: at, next: at)
                    opportunity = nil
                    if cut.end.index > start.index {
                        guard add(start, cut) else { return result }
                    }
                    start = cut.next
                }
            }
            previous = character
            at = after
        }
        let end = previous == " " ? opportunity?.end ?? at : at
        if end.index > start.index { _ = add(start, Opportunity(end: end, next: at)) }
        return result
    }

    /// Adds a line; says whether another may follow.
    private mutating func add(_ start: Place, _ cut: Opportunity) -> Bool {
        let string = text.string
        if result.count == maxLines - 1, cut.next.index < string.endIndex {
            let rest = TerminalText(clean: String(string[start.index...]), width: text.width - start.column)
            result.append(rest.truncated(to: columns, glyphs: glyphs))
            return false
        }
        result.append(
            TerminalText(clean: String(string[start.index..<cut.end.index]), width: cut.end.column - start.column))
        return true
    }
}

/// The few rules of UAX #14 that matter for a caption.
private enum LineBreak {
    /// Whether a line may end between two characters, neither of which is a space.
    static func isAllowed(between first: Character, and second: Character) -> Bool {
        if first == "-" { return isLetter(second) }
        guard isIdeographic(first) || isIdeographic(second) else { return false }
        return !closing.contains(second) && !opening.contains(first)
    }

    private static func isLetter(_ character: Character) -> Bool {
        character.isASCII ? ("a"..."z").contains(character) || ("A"..."Z").contains(character) : character.isLetter
    }

    /// Wide characters, below which nothing is.
    private static func isIdeographic(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first, first.value >= 0x1100 else { return false }
        return CharacterWidth.ofScalar(first) == .wide
    }

    /// Never at the start of a line (JIS X 4051, the common part), ASCII's own included.
    private static let closing = Set<Character>(
        "、。，．・：；？！」』】〕）］｝〉》”’ーァィゥェォッャュョヮぁぃぅぇぉっゃゅょゎ々〻,.:;?!)]}%…")
    /// Never at the end of a line.
    private static let opening = Set<Character>("「『【〔（［｛〈《“‘([{")
}
