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

extension Int {
    /// `1,234,567`.
    package var grouped: String {
        magnitude < 1000 ? "\(self)" : "\((self / 1000).grouped),\("\(1000 + magnitude % 1000)".dropFirst())"
    }
}
