/// Reads the directories and values of an untrusted EXIF block (CIPA DC-008, section 4.5; TIFF 6.0, section 2).
///
/// Values outside of the block are `nil`.
struct TIFFBlock {
    let reader: BinaryReader

    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = BinaryReader(bytes)
        reader.isBigEndian = reader.matches(Array("MM".utf8))
        let magic = 42
        guard reader.isBigEndian || reader.matches(Array("II".utf8)), reader.count >= Self.headerBytes,
            (try? reader.integer(2, at: 2)) == magic
        else { return nil }
        self.reader = reader
    }

    static let entryBytes = 12
    private static let headerBytes = 8
    /// Bytes per value of each type from 1, BYTE, to 12, DOUBLE.
    private static let typeBytes: [CheckedSize] = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]
    private static let shortType = 3
    private static let longType = 4
    private static let rationalType = 5

    func number16(at offset: Int) -> Int? { try? reader.integer(2, at: offset) }
    func number32(at offset: Int) -> Int? { try? reader.integer(4, at: offset) }

    // MARK: Directories

    /// The offset of the first directory.
    var firstDirectory: Int? { number32(at: 4) }

    /// Returns the offset of the directory that an entry of another one points to.
    func directory(_ tag: Int, in directory: Int) -> Int? { entry(tag, in: directory).flatMap(integer) }

    /// Returns the offset of the next directory in the chain; `nil` at its end.
    func directory(after directory: Int) -> Int? {
        guard let entries = entries(of: directory), let next = number32(at: entries.nextAt), next > 0 else {
            return nil
        }
        return next
    }

    /// Returns the offset of the first entry with a tag, among those within the block.
    func entry(_ tag: Int, in directory: Int) -> Int? { offsets(of: directory)?.first { number16(at: $0) == tag } }

    private func offsets(of directory: Int) -> StrideTo<Int>? {
        guard directory >= Self.headerBytes, let count = try? reader.size(2, at: directory) else { return nil }
        let start = directory + 2
        // The last one may be cut behind its value.
        let end = start + count.upTo((reader.count - start) / Self.entryBytes + 1) * Self.entryBytes
        return stride(from: start, to: end, by: Self.entryBytes)
    }

    struct Entries {
        let offsets: StrideTo<Int>
        /// The offset of the next directory's offset.
        let nextAt: Int
    }

    /// Returns all entries of a directory; `nil` unless the block holds them and the next directory's offset.
    func entries(of directory: Int) -> Entries? {
        guard let offsets = offsets(of: directory), let count = number16(at: directory) else { return nil }
        let nextAt = directory + 2 + count * Self.entryBytes
        return nextAt <= reader.count - 4 ? Entries(offsets: offsets, nextAt: nextAt) : nil
    }

    // MARK: Values

    /// Returns where the value of an entry is; `nil` if its type is unknown or it is outside the block.
    func value(_ entry: Int) -> Range<Int>? {
        let inEntry: CheckedSize = 4
        guard let type = number16(at: entry + 2), Self.typeBytes.indices.contains(type - 1),
            let count = try? reader.size(4, at: entry + 4), let length = try? count * Self.typeBytes[type - 1],
            let offset = try? reader.size(4, at: entry + 8)
        else { return nil }
        let range = try? (length > inEntry ? offset : CheckedSize(entry + 8)).range(length)
        return range.flatMap { $0.upperBound <= reader.count ? $0 : nil }
    }

    /// Returns a single integer of 16 or 32 bits; some writers take the longer type for any tag.
    func integer(_ entry: Int) -> Int? {
        guard let type = number16(at: entry + 2), number32(at: entry + 4) == 1 else { return nil }
        return switch type {
        case Self.shortType: number16(at: entry + 8)
        case Self.longType: number32(at: entry + 8)
        default: nil
        }
    }

    /// Returns a single fraction above 0.
    func fraction(_ entry: Int) -> Double? {
        guard number16(at: entry + 2) == Self.rationalType, let value = value(entry),
            let numerator = number32(at: value.lowerBound), numerator > 0,
            let denominator = number32(at: value.lowerBound + 4), denominator > 0
        else { return nil }
        return Double(numerator) / Double(denominator)
    }

    /// The longest text that is read, in bytes; cameras and lenses have names of up to 60.
    private static let maxText = 128

    /// Returns a text to its first zero byte, without spaces around it; `nil` if it is empty.
    ///
    /// ASCII by the standard, UTF-8 in practice. It may hold any characters.
    func text(_ entry: Int) -> String? {
        guard let value = value(entry) else { return nil }
        let stored = reader.bytes.dropFirst(value.lowerBound).prefix(min(value.count, Self.maxText))
        var text = Substring(decoding: stored.prefix { $0 != 0 }, as: UTF8.self)
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
            let place = reader.isBigEndian ? count - 1 - digit : digit
            bytes[offset + digit] = UInt8(truncatingIfNeeded: value >> (8 * place))
        }
    }
}
