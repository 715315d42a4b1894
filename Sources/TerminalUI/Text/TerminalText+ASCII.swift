extension TerminalText {
    /// Returns the text in the given characters, transliterated if necessary.
    ///
    /// Punctuation and Latin letters become their nearest ASCII, any other grapheme one `?`.
    package func shown(in glyphs: GlyphSet) -> TerminalText {
        guard glyphs == .ascii, !isASCII else { return self }
        var ascii = ""
        for character in string {
            // Drops marks: é in two scalars is e, as in one.
            guard let base = character.unicodeScalars.first else { continue }
            if base.isASCII {
                ascii.unicodeScalars.append(base)
            } else {
                ascii += Transliteration.ascii(base) ?? "?"
            }
        }
        return TerminalText(clean: ascii, width: ascii.utf8.count)
    }
}

private enum Transliteration {
    static func ascii(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\u{A0}", "\u{3000}": " "
        case "‘", "’", "‚", "‛", "′", "´", "ʹ", "ʼ": "'"
        case "“", "”", "„", "‟", "″", "«", "»": "\""
        case "·", "•", "‐", "‑", "‒", "–", "—", "―", "−", "∙", "⋅": "-"
        default: symbols[scalar] ?? letter(scalar)
        }
    }

    private static let symbols: [Unicode.Scalar: String] = [
        "‹": "<", "›": ">", "…": "...", "×": "x", "÷": "/", "⁄": "/", "©": "(c)", "®": "(r)", "™": "(tm)", "±": "+/-",
        "µ": "u", "μ": "u", "¼": "1/4", "½": "1/2", "¾": "3/4", "€": "EUR", "£": "GBP", "¹": "1", "²": "2", "₂": "2",
        "³": "3", "¡": "!", "¿": "?", "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Þ": "Th", "þ": "th", "ß": "ss",
    ]

    /// The letters of Latin-1 and Latin Extended-A (U+00C0 to U+017F) without marks.
    private static let letters: StaticString = """
        AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty\
        AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLl\
        NnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs
        """

    private static func letter(_ scalar: Unicode.Scalar) -> String? {
        guard (0xC0...0x17F).contains(scalar.value) else { return nil }
        let at = Int(scalar.value - 0xC0)
        guard at < letters.utf8CodeUnitCount else { return nil }
        return String(Unicode.Scalar(letters.utf8Start[at]))
    }
}
