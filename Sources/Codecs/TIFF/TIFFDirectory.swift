/// A directory of a TIFF or BigTIFF file, read where it is (TIFF 6.0, section 2).
struct TIFFDirectory {
    private let input: ByteReader
    private let isBigEndian: Bool
    private let isBig: Bool
    private var bytes: [UInt8]

    /// Reads the first one.
    init(_ input: ByteReader) throws(CodecError) {
        let head = try input.bytes(16, at: 0)
        guard head.count >= 8 else { throw .corrupt(.tiff, "the file ends inside its header") }
        isBigEndian = head[0] == UInt8(ascii: "M")
        isBig = head[isBigEndian ? 3 : 2] == 43
        self.input = input
        bytes = head
        guard let start = isBig ? number(at: 8, bytes: 8) : number(at: 4, bytes: 4), start >= 8 else {
            throw .corrupt(.tiff, "a header without a directory")
        }
        try read(at: start)
    }

    private mutating func read(at start: Int) throws(CodecError) {
        let countBytes = isBig ? 8 : 2
        bytes = try input.bytes(countBytes, at: start)
        guard let count = number(at: 0, bytes: countBytes) else {
            throw .corrupt(.tiff, "the file ends before its directory")
        }
        // Tags in use are below a hundred.
        bytes = try input.bytes(min(count, 4096) * entryBytes, at: start + countBytes)
    }

    private var entryBytes: Int { isBig ? 20 : 12 }
    /// The bytes of a value that is in its entry, at the entry's end.
    private var inEntry: Int { isBig ? 8 : 4 }

    private func number(at offset: Int, bytes count: Int) -> Int? {
        Self.number(bytes, at: offset, bytes: count, isBigEndian)
    }

    private static func number(_ bytes: [UInt8], at offset: Int, bytes count: Int, _ isBigEndian: Bool) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        var value: UInt64 = 0
        for digit in 0..<count {
            value = value << 8 | UInt64(bytes[offset + (isBigEndian ? digit : count - 1 - digit)])
        }
        return value < 1 << 48 ? Int(value) : nil
    }

    private func entry(_ tag: Int) -> Int? {
        stride(from: 0, to: bytes.count, by: entryBytes).first { number(at: $0, bytes: 2) == tag }
    }

    func contains(_ tag: Int) -> Bool { entry(tag) != nil }

    /// Where the bytes of an entry are in the file, unless they are in the entry.
    func range(_ tag: Int) -> Range<Int>? { entry(tag).flatMap { range(of: $0) } }

    private func range(of entry: Int) -> Range<Int>? {
        guard let type = number(at: entry + 2, bytes: 2), let width = Self.widths[type],
            let count = number(at: entry + 4, bytes: isBig ? 8 : 4),
            let offset = number(at: entry + (isBig ? 12 : 8), bytes: isBig ? 8 : 4),
            count * width > inEntry
        else { return nil }
        return offset..<offset + count * width
    }

    /// The first integers of an entry, four at most.
    func numbers(_ tag: Int) throws(CodecError) -> [Int] {
        guard let entry = entry(tag), let type = number(at: entry + 2, bytes: 2),
            [3, 4, 13, 16].contains(type), let width = Self.widths[type]
        else { return [] }
        var stored = bytes
        var at = entry + (isBig ? 12 : 8)
        var count = min(number(at: entry + 4, bytes: isBig ? 8 : 4) ?? 0, 4)
        if let range = range(tag) {
            stored = try input.bytes(count * width, at: range.lowerBound)
            at = 0
            count = min(count, stored.count / width)
        }
        return (0..<count).compactMap { Self.number(stored, at: at + $0 * width, bytes: width, isBigEndian) }
    }

    /// Bytes per value of each type.
    private static let widths = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8,
    ]

    // MARK: EXIF

    /// What a camera or program states, as an EXIF block; `nil` without any.
    ///
    /// Values are copied: in the file they may be anywhere. Notes of makers, whose offsets would be wrong, and the position are
    /// left out.
    func exif() throws(CodecError) -> [UInt8]? {
        var main = try values { Self.cameraTags.contains($0) }
        var camera: [Value] = []
        var directory = self
        if let start = try numbers(Exif.exifDirectory).first, (try? directory.read(at: start)) != nil {
            camera = try directory.values { !Self.leftOutTags.contains($0) }
        }
        guard !main.isEmpty || !camera.isEmpty else { return nil }
        let headerBytes = 8
        var link = Value(tag: Exif.exifDirectory, type: 4, count: 1, bytes: digits(0, 4))
        link.bytes = digits(headerBytes + block(main + [link], at: headerBytes).count, 4)
        main.append(link)
        let header = Array((isBigEndian ? "MM" : "II").utf8) + digits(42, 2) + digits(headerBytes, 4)
        let first = header + block(main, at: headerBytes)
        return first + block(camera, at: first.count)
    }

    private struct Value {
        let tag: Int
        let type: Int
        let count: Int
        var bytes: [UInt8]
    }

    /// Description, maker, model, program, time, artist, copyright.
    private static let cameraTags = [0x010E, 0x010F, 0x0110, 0x0131, 0x0132, 0x013B, 0x8298]
    /// Notes of makers, interoperability.
    private static let leftOutTags = [0x927C, 0xA005]
    /// Of one value, and of all: a block is to fit a segment of a JPEG.
    private static let maxValueBytes = 4096
    private static let maxExifBytes = 30 << 10

    private func values(where isWanted: (Int) -> Bool) throws(CodecError) -> [Value] {
        var values: [Value] = []
        var sum = 0
        for entry in stride(from: 0, through: bytes.count - entryBytes, by: entryBytes) {
            guard let tag = number(at: entry, bytes: 2), isWanted(tag), let type = number(at: entry + 2, bytes: 2),
                type <= 12, let width = Self.widths[type], let count = number(at: entry + 4, bytes: isBig ? 8 : 4),
                count <= Self.maxValueBytes / width, sum + entryBytes + count * width <= Self.maxExifBytes
            else { continue }
            let value: [UInt8]
            if let range = range(of: entry) {
                value = try input.bytes(range.count, at: range.lowerBound)
            } else {
                value = Array(bytes[(entry + entryBytes - inEntry)..<(entry + entryBytes)].prefix(count * width))
            }
            guard value.count == count * width else { continue }
            values.append(Value(tag: tag, type: type, count: count, bytes: value))
            sum += entryBytes + value.count
        }
        return values
    }

    /// A directory that starts at `offset` of a block, and its values.
    private func block(_ values: [Value], at offset: Int) -> [UInt8] {
        let inEntry = 4
        var entries = digits(values.count, 2)
        var stored: [UInt8] = []
        let valuesAt = offset + 2 + 12 * values.count + 4
        for value in values {
            entries += digits(value.tag, 2) + digits(value.type, 2) + digits(value.count, 4)
            if value.bytes.count <= inEntry {
                entries += value.bytes + [UInt8](repeating: 0, count: inEntry - value.bytes.count)
            } else {
                entries += digits(valuesAt + stored.count, 4)
                stored += value.bytes
            }
        }
        return entries + digits(0, 4) + stored
    }

    private func digits(_ value: Int, _ count: Int) -> [UInt8] {
        let digits = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? digits.reversed() : digits
    }
}
