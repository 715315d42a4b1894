/// The directories of an untrusted EXIF block (CIPA DC-008, section 4.5; TIFF 6.0, section 2).
struct TIFFBlock {
    private(set) var bytes: [UInt8]
    private let isBigEndian: Bool

    struct Entry {
        let tag: UInt16
        let at: Int
    }

    struct Directory {
        let entries: [Entry]
        let nextAt: Int
        var range: Range<Int> { (nextAt - entries.count * TIFFBlock.entryBytes - 2)..<(nextAt + 4) }
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerBytes else { return nil }
        switch (bytes[0], bytes[1]) {
        case (UInt8(ascii: "M"), UInt8(ascii: "M")): isBigEndian = true
        case (UInt8(ascii: "I"), UInt8(ascii: "I")): isBigEndian = false
        default: return nil
        }
        self.bytes = bytes
        let magic = 42
        guard number(at: 2, bytes: 2) == magic else { return nil }
    }

    static let headerBytes = 8
    static let entryBytes = 12
    /// Bytes per value of each type from 1, BYTE, to 12, DOUBLE.
    private static let typeBytes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]
    static let shortType = 3
    static let longType = 4

    // MARK: Reading

    func number(at offset: Int, bytes count: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        let digits = bytes[offset..<offset + count]
        return isBigEndian ? digits.reduce(0) { $0 << 8 | Int($1) } : digits.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    func directory(at offset: Int) -> Directory? {
        guard offset >= Self.headerBytes, let count = number(at: offset, bytes: 2) else { return nil }
        let nextAt = offset + 2 + count * Self.entryBytes
        guard nextAt <= bytes.count - 4 else { return nil }
        let entries = stride(from: offset + 2, to: nextAt, by: Self.entryBytes).compactMap { at in
            number(at: at, bytes: 2).map { Entry(tag: UInt16($0), at: at) }
        }
        return Directory(entries: entries, nextAt: nextAt)
    }

    /// 0 if the value is inside the entry, `nil` if its type is unknown or it is outside the block.
    func valueEnd(of entry: Entry) -> Int? {
        let inEntry = 4
        guard let type = number(at: entry.at + 2, bytes: 2), Self.typeBytes.indices.contains(type - 1),
            let count = number(at: entry.at + 4, bytes: 4), let offset = number(at: entry.at + 8, bytes: 4)
        else { return nil }
        let length = count * Self.typeBytes[type - 1]
        guard length > inEntry else { return 0 }
        return offset <= bytes.count - length ? offset + length : nil
    }

    // MARK: Writing

    mutating func set(_ entry: Entry, to value: Int) {
        write(Self.shortType, at: entry.at + 2, bytes: 2)
        write(1, at: entry.at + 4, bytes: 4)
        write(0, at: entry.at + 8, bytes: 4)
        write(value, at: entry.at + 8, bytes: 2)
    }

    mutating func endChain(after directory: Directory) { write(0, at: directory.nextAt, bytes: 4) }
    mutating func cut(to count: Int) { bytes.removeLast(bytes.count - count) }

    private mutating func write(_ value: Int, at offset: Int, bytes count: Int) {
        for digit in 0..<count {
            let place = isBigEndian ? count - 1 - digit : digit
            bytes[offset + digit] = UInt8(truncatingIfNeeded: value >> (8 * place))
        }
    }
}
