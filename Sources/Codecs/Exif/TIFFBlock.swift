/// Reads the numbers, directories and values of an untrusted EXIF block (CIPA DC-008, section 4.5; TIFF 6.0, section 2).
///
/// It holds no bytes: every call takes those of the block, so that nothing is copied. What is outside of them is `nil`.
struct TIFFBlock {
    private let isBigEndian: Bool

    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= Self.headerBytes else { return nil }
        switch (bytes[0], bytes[1]) {
        case (UInt8(ascii: "M"), UInt8(ascii: "M")): isBigEndian = true
        case (UInt8(ascii: "I"), UInt8(ascii: "I")): isBigEndian = false
        default: return nil
        }
        let magic = 42
        guard number16(bytes, at: 2) == magic else { return nil }
    }

    static let entryBytes = 12
    private static let headerBytes = 8
    /// Bytes per value of each type from 1, BYTE, to 12, DOUBLE.
    private static let typeBytes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]
    private static let shortType = 3
    private static let longType = 4
    private static let rationalType = 5

    // MARK: Numbers

    func number16(_ bytes: Span<UInt8>, at offset: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - 2 else { return nil }
        let (first, second) = (Int(bytes[offset]), Int(bytes[offset + 1]))
        return isBigEndian ? first << 8 | second : second << 8 | first
    }

    func number32(_ bytes: Span<UInt8>, at offset: Int) -> Int? {
        guard let first = number16(bytes, at: offset), let second = number16(bytes, at: offset + 2) else { return nil }
        return isBigEndian ? first << 16 | second : second << 16 | first
    }

    // MARK: Directories

    /// The offset of the first directory.
    func firstDirectory(of bytes: Span<UInt8>) -> Int? { number32(bytes, at: 4) }

    /// The offset of the directory that an entry of another one points to.
    func directory(_ tag: Int, in directory: Int, of bytes: Span<UInt8>) -> Int? {
        entry(tag, in: directory, of: bytes).flatMap { integer($0, of: bytes) }
    }

    /// The offset of the next directory in the chain; `nil` at its end.
    func directory(after directory: Int, of bytes: Span<UInt8>) -> Int? {
        guard let entries = entries(of: directory, in: bytes), let next = number32(bytes, at: entries.nextAt), next > 0
        else { return nil }
        return next
    }

    /// The offset of the first entry with a tag; a directory that states too many entries is read to the end of the block.
    func entry(_ tag: Int, in directory: Int, of bytes: Span<UInt8>) -> Int? {
        guard directory >= Self.headerBytes, let count = number16(bytes, at: directory) else { return nil }
        var at = directory + 2
        for _ in 0..<count {
            guard let found = number16(bytes, at: at) else { return nil }
            if found == tag { return at }
            at += Self.entryBytes
        }
        return nil
    }

    struct Entries {
        let offsets: StrideTo<Int>
        /// The offset of the next directory's offset.
        let nextAt: Int
    }

    /// All entries of a directory; `nil` unless the block holds them and the next directory's offset.
    func entries(of directory: Int, in bytes: Span<UInt8>) -> Entries? {
        guard directory >= Self.headerBytes, let count = number16(bytes, at: directory) else { return nil }
        let nextAt = directory + 2 + count * Self.entryBytes
        guard nextAt <= bytes.count - 4 else { return nil }
        return Entries(offsets: stride(from: directory + 2, to: nextAt, by: Self.entryBytes), nextAt: nextAt)
    }

    // MARK: Values

    /// Where the value of an entry is; `nil` if its type is unknown or it is outside the block.
    func value(_ entry: Int, of bytes: Span<UInt8>) -> Range<Int>? {
        let inEntry = 4
        guard let type = number16(bytes, at: entry + 2), Self.typeBytes.indices.contains(type - 1),
            let count = number32(bytes, at: entry + 4), let offset = number32(bytes, at: entry + 8)
        else { return nil }
        let length = count * Self.typeBytes[type - 1]
        let start = length > inEntry ? offset : entry + 8
        return start <= bytes.count - length ? start..<start + length : nil
    }

    /// A single integer of 16 or 32 bits; some writers take the longer type for any tag.
    func integer(_ entry: Int, of bytes: Span<UInt8>) -> Int? {
        guard let type = number16(bytes, at: entry + 2), number32(bytes, at: entry + 4) == 1 else { return nil }
        return switch type {
        case Self.shortType: number16(bytes, at: entry + 8)
        case Self.longType: number32(bytes, at: entry + 8)
        default: nil
        }
    }

    /// A single fraction above 0.
    func fraction(_ entry: Int, of bytes: Span<UInt8>) -> Double? {
        guard number16(bytes, at: entry + 2) == Self.rationalType, let value = value(entry, of: bytes),
            let numerator = number32(bytes, at: value.lowerBound), numerator > 0,
            let denominator = number32(bytes, at: value.lowerBound + 4), denominator > 0
        else { return nil }
        return Double(numerator) / Double(denominator)
    }

    /// The longest text that is read, in bytes; cameras and lenses have names of up to 60.
    private static let maxText = 128

    /// A text to its first zero byte, without spaces around it; `nil` if it is empty.
    ///
    /// ASCII by the standard, UTF-8 in practice. It may hold any characters.
    func text(_ entry: Int, of bytes: Span<UInt8>) -> String? {
        guard let value = value(entry, of: bytes) else { return nil }
        let stored = bytes.extracting(value.lowerBound..<min(value.upperBound, value.lowerBound + Self.maxText))
        var text = stored.withUnsafeBufferPointer { bytes in
            Substring(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text.isEmpty ? nil : String(text)
    }

    // MARK: Writing

    /// Makes an entry a single integer of 16 bits.
    func set(_ entry: Int, to value: Int, in bytes: inout [UInt8]) {
        write(Self.shortType, at: entry + 2, count: 2, to: &bytes)
        write(1, at: entry + 4, count: 4, to: &bytes)
        write(0, at: entry + 8, count: 4, to: &bytes)
        write(value, at: entry + 8, count: 2, to: &bytes)
    }

    /// Writes an integer of `count` bytes.
    func write(_ value: Int, at offset: Int, count: Int, to bytes: inout [UInt8]) {
        for digit in 0..<count {
            let place = isBigEndian ? count - 1 - digit : digit
            bytes[offset + digit] = UInt8(truncatingIfNeeded: value >> (8 * place))
        }
    }
}
