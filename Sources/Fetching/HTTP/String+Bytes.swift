internal import Glibc

extension String {
    /// The text before the first NUL; invalid UTF-8 is repaired.
    init(nulTerminated characters: [CChar]) {
        self.init(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Control characters become spaces, so that the text stays one line.
    var withoutControls: String { String(decoding: utf8.map { $0 < 0x20 || $0 == 0x7f ? 0x20 : $0 }, as: UTF8.self) }
}

extension StringProtocol {
    /// Byte for byte; the standard library's `firstRange(of:)` and `contains(_:)` link its regular expressions: 3 MB.
    package func byteRange(of other: some StringProtocol) -> Range<Index>? {
        let offset = Self.withBytes(of: self) { text in Self.withBytes(of: other) { text.offset(of: $0) } }
        guard let offset else { return nil }
        let start = utf8.index(utf8.startIndex, offsetBy: offset)
        return start..<utf8.index(start, offsetBy: other.utf8.count)
    }

    private static func withBytes<Text: StringProtocol, Result>(
        of text: Text, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        // Native strings are contiguous.
        text.utf8.withContiguousStorageIfAvailable(body) ?? Array(text.utf8).withUnsafeBufferPointer(body)
    }

    /// The number of a text of ASCII digits; `nil` for anything else, and if it does not fit.
    package var decimal: Int? { utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(self) : nil }

    package func containsBytes(of other: some StringProtocol) -> Bool { other.isEmpty || byteRange(of: other) != nil }
}

extension UnsafeBufferPointer<UInt8> {
    /// Offset of the first such byte (`memchr`).
    func offset(of byte: UInt8) -> Int? {
        guard let base = baseAddress, let found = memchr(base, Int32(byte), count) else { return nil }
        return UnsafeRawPointer(base).distance(to: found)
    }

    func starts(with text: StaticString) -> Bool {
        guard let base = baseAddress, count >= text.utf8CodeUnitCount else { return false }
        return memcmp(base, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// Returns the bytes before the first `byte`; all bytes if it is missing.
    func prefix(before byte: UInt8) -> Self { Self(start: baseAddress, count: offset(of: byte) ?? count) }

    /// Offset of the first occurrence (`memchr`, `memcmp`); `nil` for no bytes.
    func offset(of other: Self) -> Int? {
        guard let base = baseAddress, let wanted = other.baseAddress, let first = other.first else { return nil }
        var start = 0
        while count - start >= other.count {
            guard let found = memchr(base + start, Int32(first), count - start - other.count + 1) else { return nil }
            let offset = UnsafeRawPointer(base).distance(to: found)
            if memcmp(found, wanted, other.count) == 0 { return offset }
            start = offset + 1
        }
        return nil
    }
}

extension Collection where Element: StringProtocol {
    /// The first elements in one line: "a, b and others".
    package func firstFew(_ limit: Int) -> String {
        prefix(limit).joined(separator: ", ") + (count > limit ? " and others" : "")
    }
}
