/// Converts HTML of a service to plain text.
///
/// Time is linear. References to control characters become U+FFFD; raw ones stay: sanitise the text before printing.
enum PlainText {
    /// Maximum bytes of a description; the longest one known has 89,685 characters.
    static let descriptionLimit = 128 << 10
    /// Maximum bytes of a title, a name or a keyword.
    static let lineLimit = 1 << 10

    /// Several lines; consecutive blank lines become one.
    static func paragraphs(_ markup: String, limit: Int = descriptionLimit) -> String {
        collapsed(withoutMarkup(capped(markup, limit: limit)), keepingLines: true)
    }

    static func line(_ markup: String, limit: Int = lineLimit) -> String {
        collapsed(withoutMarkup(capped(markup, limit: limit)), keepingLines: false)
    }

    /// One line of plain text, without control characters.
    static func oneLine(_ text: String, limit: Int) -> String {
        let scalars = capped(text, limit: limit).unicodeScalars.map { scalar in
            (0..<0x20).contains(scalar.value) || (0x7F..<0xA0).contains(scalar.value) ? " " : scalar
        }
        return collapsed(Array(String(String.UnicodeScalarView(scalars)).utf8), keepingLines: false)
    }

    /// Truncates to `limit` bytes, with an ellipsis.
    static func capped(_ text: String, limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var kept = Array(text.utf8.prefix(limit + 1))
        while let last = kept.popLast(), last & 0xC0 == 0x80 {}
        return String(decoding: kept, as: UTF8.self) + "…"
    }

    private static func collapsed(_ bytes: [UInt8], keepingLines: Bool) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var breaks = 0
        var space = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                space = true
                // A carriage return before a line feed is half of one break.
                if byte == 0x0A || (byte == 0x0D && !(index + 1 < bytes.count && bytes[index + 1] == 0x0A)) {
                    breaks += 1
                }
                index += 1
            } else if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] == 0xA0 {
                // A no-break space.
                space = true
                index += 2
            } else {
                if space, !result.isEmpty {
                    result += !keepingLines || breaks == 0 ? [0x20] : breaks == 1 ? [0x0A] : [0x0A, 0x0A]
                }
                space = false
                breaks = 0
                result.append(byte)
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
