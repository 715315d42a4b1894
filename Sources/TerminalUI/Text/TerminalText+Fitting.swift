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
