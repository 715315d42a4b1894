extension TerminalText {
    /// Returns the text in lines of at most so many columns; none for an empty text.
    ///
    /// Lines break at spaces, which are dropped, after a hyphen between letters but not in an option, and around wide
    /// characters. They never break before closing or after opening punctuation. A long word breaks at a grapheme. A
    /// grapheme wider than a line becomes one column. The cost is linear in the text's length.
    ///
    /// - Parameters:
    ///   - columns: the width of a line; at least 1.
    ///   - maxLines: the maximum number of lines. If more are needed, the last one ends with an ellipsis.
    ///   - glyphs: the characters of the lines.
    /// - Returns: the lines from the top.
    public func wrapped(to columns: Int, maxLines: Int = .max, glyphs: GlyphSet = .utf8) -> [TerminalText] {
        guard maxLines > 0 else { return [] }
        let columns = max(columns, 1)
        let text = shown(in: glyphs).replacingGraphemes(widerThan: columns, glyphs)
        var wrapper = LineWrapper(text: text, columns: columns, maxLines: maxLines, glyphs: glyphs)
        return wrapper.lines()
    }

    private func replacingGraphemes(widerThan columns: Int, _ glyphs: GlyphSet) -> TerminalText {
        // A grapheme is at most as wide as its scalars.
        guard columns < 2 * TextSanitizer.maxGrapheme, string.contains(where: { CharacterWidth.of($0) > columns })
        else { return self }
        let replacement: Character = glyphs == .utf8 ? "\u{FFFD}" : "?"
        let narrow = String(string.map { CharacterWidth.of($0) > columns ? replacement : $0 })
        return TerminalText(clean: narrow, width: CharacterWidth.of(narrow))
    }
}

private struct LineWrapper {
    let text: TerminalText
    let columns: Int
    let maxLines: Int
    let glyphs: GlyphSet
    var result: [TerminalText] = []

    private struct Position {
        var index: String.Index
        var column: Int
    }

    /// The end of a line and the start of the next; between them are spaces.
    private struct Opportunity {
        var end: Position
        var next: Position
    }

    mutating func lines() -> [TerminalText] {
        let string = text.string
        var at = Position(index: string.startIndex, column: 0)
        var start = at
        var opportunity: Opportunity?
        var (earlier, previous): (Character?, Character?)
        // An option such as `--work-memory` is one word.
        var isInOption = false
        while at.index < string.endIndex {
            let character = string[at.index]
            let after = Position(index: string.index(after: at.index), column: at.column + CharacterWidth.of(character))
            if character == " " {
                let end = previous == " " ? opportunity?.end ?? at : at
                opportunity = Opportunity(end: end, next: after)
                isInOption = false
            } else {
                if character == "-", previous == "-" { isInOption = true }
                if let previous, previous != " ", !(isInOption && previous == "-"),
                    LineBreak.isAllowed(between: previous, and: character, after: earlier)
                {
                    opportunity = Opportunity(end: at, next: at)
                }
                // At most twice: the rest after the opportunity fits without this grapheme.
                while after.column - start.column > columns, start.index < at.index {
                    let cut = opportunity ?? Opportunity(end: at, next: at)
                    opportunity = nil
                    if cut.end.index > start.index {
                        guard add(start, cut) else { return result }
                    }
                    start = cut.next
                }
            }
            (earlier, previous) = (previous, character)
            at = after
        }
        let end = previous == " " ? opportunity?.end ?? at : at
        if end.index > start.index { _ = add(start, Opportunity(end: end, next: at)) }
        return result
    }

    private mutating func add(_ start: Position, _ cut: Opportunity) -> Bool {
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

/// The rules of UAX #14 that matter for a caption.
private enum LineBreak {
    /// Whether a line may break between two characters other than spaces; `earlier` is before them.
    static func isAllowed(between first: Character, and second: Character, after earlier: Character?) -> Bool {
        // Not in an option such as `-v`.
        if first == "-" { return isLetter(second) && earlier != nil && earlier != " " && earlier != "-" }
        guard isIdeographic(first) || isIdeographic(second) else { return false }
        return !closing.contains(second) && !opening.contains(first)
    }

    private static func isLetter(_ character: Character) -> Bool {
        character.isASCII ? ("a"..."z").contains(character) || ("A"..."Z").contains(character) : character.isLetter
    }

    /// Wide characters, which start at U+1100.
    private static func isIdeographic(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first, first.value >= 0x1100 else { return false }
        return CharacterWidth.ofScalar(first) == .wide
    }

    /// Not at the start of a line (JIS X 4051, the common part), with ASCII's.
    private static let closing = Set<Character>(
        "、。，．・：；？！」』】〕）］｝〉》”’ーァィゥェォッャュョヮぁぃぅぇぉっゃゅょゎ々〻,.:;?!)]}%…")
    private static let opening = Set<Character>("「『【〔（［｛〈《“‘([{")
}

extension TerminalText {
    /// Returns the text truncated at a grapheme to so many columns, with `…` (ASCII: `...`) for a missing end.
    public func truncated(to columns: Int, glyphs: GlyphSet = .utf8) -> TerminalText {
        let text = shown(in: glyphs)
        guard text.width > columns else { return text }
        let ellipsis = glyphs == .utf8 ? TerminalText(clean: "…", width: 1) : TerminalText(clean: "...", width: 3)
        guard columns >= ellipsis.width else {
            return TerminalText(clean: String(repeating: ".", count: max(columns, 0)), width: max(columns, 0))
        }
        let (kept, width) = text.prefix(columns: columns - ellipsis.width)
        return TerminalText(clean: kept + ellipsis.string, width: width + ellipsis.width)
    }

    /// Returns the text followed by spaces up to so many columns; a wider text is unchanged.
    public func padded(to columns: Int) -> TerminalText {
        guard width < columns else { return self }
        return TerminalText(clean: string + String(repeating: " ", count: columns - width), width: columns)
    }

    /// The graphemes that fit, without trailing spaces.
    private func prefix(columns: Int) -> (Substring, width: Int) {
        var end = string.startIndex
        var width = 0
        var at = string.startIndex
        var columnsSoFar = 0
        while at < string.endIndex {
            let character = string[at]
            columnsSoFar += CharacterWidth.of(character)
            guard columnsSoFar <= columns else { break }
            at = string.index(after: at)
            if character != " " {
                end = at
                width = columnsSoFar
            }
        }
        return (string[..<end], width)
    }
}
