import SpyglassTerminalUI

/// Any bytes: text without control characters within its columns.
enum TextTarget {
    static func run(_ bytes: [UInt8]) {
        let columns = Int(bytes.first ?? 0) % 40 + 1
        let text = TerminalText(cleaning: bytes)
        expectClean(text)
        let cut = text.truncated(to: columns)
        precondition(cut.width <= columns)
        expectClean(cut)
        for glyphs in [GlyphSet.utf8, .ascii] {
            for line in text.wrapped(to: max(columns, 2), maxLines: 5, glyphs: glyphs) {
                expectClean(line)
                precondition(line.width <= max(columns, 2))
                let shown = line.shown(in: glyphs)
                precondition(glyphs == .utf8 || shown.string.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
            }
        }
    }

    private static func expectClean(_ text: TerminalText) {
        for scalar in text.string.unicodeScalars {
            precondition(!(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)), "a control character")
            precondition(!(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value), "bidi")
        }
    }
}
