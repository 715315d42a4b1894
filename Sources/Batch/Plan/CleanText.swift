extension String {
    /// The text as messages quote it: one line without control characters, and not longer than a line should be.
    var quoted: String {
        let limit = 120
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) { text.append(scalar.steersText ? "\u{FFFD}" : scalar) }
        return "'\(String(text))\(unicodeScalars.count > limit ? "…" : "")'"
    }
}

extension Unicode.Scalar {
    /// Whether it is no letter but a command: a control character, a line's end, a change of the direction of writing.
    var steersText: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F: true
        // Arabic letter mark, left-to-right and right-to-left marks, embeddings, overrides and isolates.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        case 0x2028, 0x2029, 0xFEFF: true
        default: false
        }
    }
}
