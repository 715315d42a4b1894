/// Percent-encoding (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Encodes all but unreserved characters (RFC 3986 section 2.3), for one name, value or path segment.
    static func component(_ bytes: some Sequence<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in bytes { append(byte, to: &result, raw: isUnreserved(byte)) }
        return String(decoding: result, as: UTF8.self)
    }

    package static func component(_ text: String) -> String { component(text.utf8) }

    /// Encodes what a path or query must not contain, also a percent sign without two digits; valid escapes stay.
    static func repaired(_ bytes: ArraySlice<UInt8>) -> String {
        guard !bytes.allSatisfy(isAllowed) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in zip(bytes.indices, bytes) {
            let isEscape = byte == UInt8(ascii: "%") && escapedByte(in: bytes, at: index) != nil
            append(byte, to: &result, raw: isEscape || isAllowed(byte))
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Decodes every valid escape, once.
    package static func decoded(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), let escaped = escapedByte(in: bytes, at: index) {
                result.append(escaped)
                index += 3
            } else {
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return result
    }

    private static func append(_ byte: UInt8, to result: inout [UInt8], raw: Bool) {
        guard !raw else { return result.append(byte) }
        result += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func escapedByte(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard bytes.endIndex - index >= 3,
            let high = hexValue(bytes[index + 1]), let low = hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) }
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        // An ASCII letter with this bit is in lower case.
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    /// RFC 3986 section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "-._~".utf8.contains(byte) }

    /// Unreserved, or one of `!$&'()*+,;=:@/?`: `pchar`, `/` and `?` of RFC 3986 sections 3.3 and 3.4.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x24, 0x26...0x3b, 0x3d, 0x3f...0x5a, 0x5f, 0x61...0x7a, 0x7e: true
        default: false
        }
    }
}

extension String {
    /// The text before the first NUL; invalid UTF-8 is repaired.
    init(nulTerminated characters: [CChar]) {
        self.init(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Control characters become spaces, so that the text stays one line.
    var withoutControls: String {
        let isControl = { (byte: UInt8) in byte < 0x20 || byte == 0x7f }
        guard utf8.contains(where: isControl) else { return self }
        return String(decoding: utf8.map { isControl($0) ? 0x20 : $0 }, as: UTF8.self)
    }
}

extension StringProtocol {
    /// Byte for byte; the standard library's `firstRange(of:)` and `contains(_:)` link its regular expressions: 3 MB.
    package func byteRange(of other: some StringProtocol) -> Range<Index>? {
        guard let start = utf8.firstIndex(of: other.utf8) else { return nil }
        return start..<utf8.index(start, offsetBy: other.utf8.count)
    }

    /// The number of a text of ASCII digits; `nil` for anything else, and if it does not fit.
    package var decimal: Int? { utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(self) : nil }

    package func containsBytes(of other: some StringProtocol) -> Bool { other.isEmpty || byteRange(of: other) != nil }
}

extension Collection<UInt8> {
    /// Index of the first occurrence; `nil` for no bytes.
    func firstIndex(of other: some Collection<UInt8>) -> Index? {
        guard let first = other.first else { return nil }
        var rest = self[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: other) { return start }
            rest.removeFirst()
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
