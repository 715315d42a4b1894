internal import SpyglassJSON

extension String {
    /// The text as messages quote it: one line without control characters, and not longer than a line should be.
    var quoted: String {
        let limit = 120
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) { text.append(scalar.isTextControl ? "\u{FFFD}" : scalar) }
        return "'\(String(text))\(unicodeScalars.count > limit ? "…" : "")'"
    }
}
