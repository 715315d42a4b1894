internal import SpyglassFetching

extension PlainText {
    /// Drops tags, comments, scripts and styles; resolves references once.
    static func withoutMarkup(_ markup: String) -> [UInt8] {
        var scanner = MarkupScanner(bytes: Array(markup.utf8))
        return scanner.plain()
    }
}

private struct MarkupScanner {
    /// Maximum bytes of a tag; longer ones are text.
    static let tagLimit = 4096

    let bytes: [UInt8]
    var position = 0
    var output: [UInt8] = []
    /// Remaining steps of looking ahead for the end of a tag; they keep the scan of `<a<a<a…` linear.
    var lookahead: Int

    init(bytes: [UInt8]) {
        self.bytes = bytes
        lookahead = 4 * bytes.count + Self.tagLimit
    }

    mutating func plain() -> [UInt8] {
        output.reserveCapacity(bytes.count)
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "<") where skipTag(): continue
            case UInt8(ascii: "&") where resolveReference(): continue
            default:
                output.append(bytes[position])
                position += 1
            }
        }
        return output
    }

    private mutating func skipTag() -> Bool {
        let start = position + 1
        guard start < bytes.count else { return false }
        if matches("!--", at: start) {
            guard let end = find("-->", from: start + 3) else { return false }
            position = end
            return true
        }
        let closing = bytes[start] == UInt8(ascii: "/")
        let nameStart = closing ? start + 1 : start
        guard nameStart < bytes.count else { return false }
        let isDeclaration = !closing && (bytes[start] == UInt8(ascii: "!") || bytes[start] == UInt8(ascii: "?"))
        guard isDeclaration || isLetter(bytes[nameStart]), let end = endOfTag(from: nameStart) else { return false }
        let name = String(
            decoding: bytes[nameStart..<end].prefix { isLetter($0) || (0x30...0x39).contains($0) }, as: UTF8.self
        ).lowercased()
        position = end
        let isHidden = ["script", "style"].contains(name) || hides(bytes[nameStart..<end], name)
        if !closing, isHidden, let closed = find("</\(name)", from: end) {
            position = endOfTag(from: closed) ?? closed
        }
        output += name == "br" ? [0x0A] : separator(of: name)
        return true
    }

    /// Whether a container has the style `display: none`, as data for machines in Wikimedia's texts.
    private func hides(_ tag: ArraySlice<UInt8>, _ name: String) -> Bool {
        guard name == "div" || name == "span" else { return false }
        return String(decoding: tag.filter { $0 > 0x20 }, as: UTF8.self).lowercased().containsBytes(of: "display:none")
    }

    /// Adjacent blocks have one line break between them.
    private func separator(of name: String) -> [UInt8] {
        if Self.cells.contains(name) { return [0x20] }
        if Self.paragraphs.contains(name) { return [0x0A, 0x0A] }
        guard Self.blocks.contains(name), output.last(where: { $0 != 0x20 }) != 0x0A else { return [] }
        return [0x0A]
    }

    private static let cells: Set = ["td", "th"]
    private static let blocks: Set = ["div", "li", "tr", "dd", "dt", "hr", "pre", "section", "article", "figcaption"]
    private static let paragraphs: Set = [
        "p", "ul", "ol", "dl", "table", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6",
    ]

    /// The position after the `>`.
    private mutating func endOfTag(from start: Int) -> Int? {
        var quote: UInt8?
        var index = start
        let stop = min(bytes.count, start + Self.tagLimit)
        while index < stop, lookahead > 0 {
            lookahead -= 1
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: ">") {
                return index + 1
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), index > start, bytes[index - 1] == 0x3D {
                quote = byte
            }
            index += 1
        }
        return nil
    }

    /// The position after `text`, which is in lower case.
    private mutating func find(_ text: String, from start: Int) -> Int? {
        for index in start..<max(start, bytes.count) where lookahead > 0 {
            lookahead -= 1
            if matches(text, at: index) { return index + text.utf8.count }
        }
        return nil
    }

    private func matches(_ text: String, at index: Int) -> Bool {
        guard index <= bytes.count, bytes.count - index >= text.utf8.count else { return false }
        return zip(bytes[index...], text.utf8).allSatisfy { found, wanted in
            (0x41...0x5A).contains(found) ? found | 0x20 == wanted : found == wanted
        }
    }

    private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private mutating func resolveReference() -> Bool {
        // The longest name in the table has 8 letters; `#0001114111` has 11 characters.
        let tail = bytes[(position + 1)...].prefix(12)
        guard let semicolon = tail.firstIndex(of: UInt8(ascii: ";")) else { return false }
        let name = String(decoding: tail[..<semicolon], as: UTF8.self)
        let number = name.hasPrefix("#") ? Self.scalar(ofNumber: name.dropFirst()) : nil
        guard let scalar = number ?? CharacterReferences.named[name] else { return false }
        output += String(scalar).utf8
        position = semicolon + 1
        return true
    }

    /// HTML Standard, section 13.2.5.80.
    private static func scalar(ofNumber digits: Substring) -> Unicode.Scalar? {
        let isHex = digits.hasPrefix("x") || digits.hasPrefix("X")
        let digits = isHex ? digits.dropFirst() : digits
        guard let first = digits.first, first.isHexDigit, let value = UInt32(digits, radix: isHex ? 16 : 10) else {
            return nil
        }
        switch value {
        case 0x09, 0x0A, 0x0D: return Unicode.Scalar(value)
        case 0x80...0x9F: return CharacterReferences.windows1252[Int(value - 0x80)]
        case 0...0x1F, 0x7F: return "\u{FFFD}"
        default: return Unicode.Scalar(value) ?? "\u{FFFD}"
        }
    }
}
