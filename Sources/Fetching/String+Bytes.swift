extension String {
    /// The text before the first NUL; bytes that are not UTF-8 are repaired.
    init(nulTerminated characters: [CChar]) {
        self.init(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Control characters become spaces, so that a text stays one line and one header field.
    var withoutControls: String {
        String(decoding: utf8.map { $0 < 0x20 || $0 == 0x7f ? 0x20 : $0 }, as: UTF8.self)
    }
}

extension StringProtocol {
    /// Where another text stands in this one for the first time, byte for byte.
    ///
    /// The standard library's `firstRange(of:)` and `contains(_:)` bring its regular expressions into the binary: 3 MB.
    package func place(of other: some StringProtocol) -> Range<Index>? {
        var start = utf8.startIndex
        while let found = utf8[start...].firstIndex(where: { $0 == other.utf8.first }) {
            let rest = utf8[found...]
            if rest.starts(with: other.utf8) { return found..<utf8.index(found, offsetBy: other.utf8.count) }
            start = utf8.index(after: found)
        }
        return nil
    }

    /// Whether another text stands in this one, byte for byte; an empty one does.
    package func holds(_ other: some StringProtocol) -> Bool { other.isEmpty || place(of: other) != nil }
}

extension Collection where Element: StringProtocol {
    /// The first elements in one line, and whether there are more: "a, b and others".
    package func firstFew(_ limit: Int) -> String {
        prefix(limit).joined(separator: ", ") + (count > limit ? " and others" : "")
    }
}
