internal import SpyglassFetching

/// Finds the images of markup, in linear time.
enum HTMLImages {
    /// Maximum images of one text.
    private static let maxImages = 100

    /// The attributes of each `img` element, with names in lower case and without character references.
    static func attributes(in markup: String) -> [[String: String]] {
        var images: [[String: String]] = []
        var rest = Array(markup.utf8)[...]
        while images.count < maxImages, let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(start + 1)...]
            guard lowercased(rest.prefix(3)) == "img", let next = rest.dropFirst(3).first,
                isSpace(next) || next == UInt8(ascii: "/")
            else { continue }
            rest = rest.dropFirst(3)
            // A tag without its end is text (HTML Standard, section 13.2.5.33).
            guard let attributes = readAttributes(&rest) else { break }
            images.append(attributes)
        }
        return images
    }

    private static func readAttributes(_ rest: inout ArraySlice<UInt8>) -> [String: String]? {
        var attributes: [String: String] = [:]
        while true {
            rest = rest.drop { isSpace($0) || $0 == UInt8(ascii: "/") }
            guard let first = rest.first else { return nil }
            guard first != UInt8(ascii: ">") else { return attributes }
            let name = rest.prefix { !isSpace($0) && !"=/>".utf8.contains($0) }
            rest = rest[name.endIndex...].drop(while: isSpace)
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: isSpace)
            var value: ArraySlice<UInt8>
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                value = rest.dropFirst().prefix { $0 != quote }
                guard value.endIndex < rest.endIndex else { return nil }
                rest = rest[(value.endIndex + 1)...]
            } else {
                value = rest.prefix { !isSpace($0) && $0 != UInt8(ascii: ">") }
                rest = rest[value.endIndex...]
            }
            let text = PlainText.withoutMarkup(String(decoding: value, as: UTF8.self))
            let key = lowercased(name)
            if attributes[key] == nil { attributes[key] = String(decoding: text, as: UTF8.self) }
        }
    }

    /// Reads a `srcset` (HTML Standard, section 4.8.4.2.1).
    static func candidates(in text: String) -> [(address: String, width: Int?)] {
        var candidates: [(address: String, width: Int?)] = []
        var rest = Array(text.utf8)[...]
        while candidates.count < maxImages {
            rest = rest.drop { isSpace($0) || $0 == UInt8(ascii: ",") }
            var address = rest.prefix { !isSpace($0) }
            guard !address.isEmpty else { break }
            rest = rest[address.endIndex...]
            var width: Int?
            if address.last == UInt8(ascii: ",") {
                while address.last == UInt8(ascii: ",") { address = address.dropLast() }
            } else {
                let descriptor = rest.prefix { $0 != UInt8(ascii: ",") }
                rest = rest[descriptor.endIndex...]
                let words = String(decoding: descriptor, as: UTF8.self).trimmed
                if words.last == "w" { width = String(words.dropLast()).decimal.flatMap { $0 > 0 ? $0 : nil } }
            }
            candidates.append((String(decoding: address, as: UTF8.self), width))
        }
        return candidates
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }
}
