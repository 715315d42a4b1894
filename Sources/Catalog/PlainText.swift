/// Turns what a service writes for web pages into plain text.
///
///     PlainText.paragraphs("<b>Mars</b> &amp; its moons<br/>Phobos")  // "Mars & its moons\nPhobos"
///
/// Tags go, character references become their characters, white space is collapsed and trimmed, and every text has an
/// upper bound. Time is linear in the length, whatever the text holds. References to control characters become U+FFFD,
/// so that no escape sequence can be smuggled in as digits; raw control characters are left for the terminal's sanitiser.
enum PlainText {
    /// Bytes of a description that are kept: the longest one known has 89,685 characters (a podcast's transcript).
    static let descriptionLimit = 128 << 10
    /// Bytes of a title, a name or a keyword that are kept.
    static let lineLimit = 1 << 10

    /// A text in which line breaks may mean something: a blank line stays one, several become one.
    static func paragraphs(_ markup: String, limit: Int = descriptionLimit) -> String {
        collapsed(withoutMarkup(capped(markup, limit: limit)), keepingLines: true)
    }

    /// A text of one line.
    static func line(_ markup: String, limit: Int = lineLimit) -> String {
        collapsed(withoutMarkup(capped(markup, limit: limit)), keepingLines: false)
    }

    /// A text of one line that is not markup, without control characters.
    static func oneLine(_ text: String, limit: Int) -> String {
        var bytes = Array(capped(text, limit: limit).utf8)
        for index in bytes.indices {
            // C0 and DEL; the two bytes of a C1.
            if bytes[index] < 0x20 || bytes[index] == 0x7F {
                bytes[index] = 0x20
            } else if bytes[index] == 0xC2, index + 1 < bytes.count, (0x80...0x9F).contains(bytes[index + 1]) {
                bytes[index] = 0x20
                bytes[index + 1] = 0x20
            }
        }
        return collapsed(bytes, keepingLines: false)
    }

    /// The text, cut before the scalar that would pass `limit` bytes; an ellipsis says that something is missing.
    static func capped(_ text: String, limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var kept = Array(text.utf8.prefix(limit + 1))
        while let last = kept.popLast(), last & 0xC0 == 0x80 {}
        return String(decoding: kept, as: UTF8.self) + "…"
    }

    /// Runs of white space become one space, or, where lines are kept, one or two line breaks; none at either end.
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
                // A no-break space keeps words together on a web page; here it would only escape the trimming.
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
