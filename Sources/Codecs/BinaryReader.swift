/// Reads the integers of untrusted bytes: in order, or anywhere; throws outside of them.
///
///     var fields = BinaryReader(bytes)
///     let kind = try fields.integer(2)
///     let entries = try fields.size(4).upTo(fields.left / entryBytes)
struct BinaryReader {
    let bytes: ArraySlice<UInt8>
    var isBigEndian: Bool
    private(set) var offset = 0

    init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool = true) { (self.bytes, self.isBigEndian) = (bytes, isBigEndian) }

    init(_ bytes: [UInt8], isBigEndian: Bool = true) { self.init(bytes[...], isBigEndian: isBigEndian) }

    init(_ bytes: Span<UInt8>, isBigEndian: Bool = true) {
        self.init(bytes.withUnsafeBufferPointer { Array($0) }, isBigEndian: isBigEndian)
    }

    var count: Int { bytes.count }
    var left: Int { bytes.count - offset }

    private func digits(_ width: Int, at offset: Int, isBigEndian: Bool) throws(CodecError) -> UInt64 {
        guard offset >= 0, offset <= count - width else { throw .endsEarly }
        var value: UInt64 = 0
        for digit in 0..<width {
            value = value << 8 | UInt64(bytes[bytes.startIndex + offset + (isBigEndian ? digit : width - 1 - digit)])
        }
        return value
    }

    func integer(_ width: Int, at offset: Int) throws(CodecError) -> Int {
        precondition(width <= 4, "sizes may be wider")
        return Int(try digits(width, at: offset, isBigEndian: isBigEndian))
    }

    /// Returns a count, offset or length of up to eight bytes.
    func size(_ width: Int, at offset: Int) throws(CodecError) -> CheckedSize {
        try CheckedSize(digits(width, at: offset, isBigEndian: isBigEndian))
    }

    /// Returns the four letters of a box, chunk or tag, in the order of the file; `nil` outside.
    func name(at offset: Int) -> FourCC? { (try? digits(4, at: offset, isBigEndian: true)).map { FourCC(UInt32($0)) } }

    func matches(_ letters: [UInt8], at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: letters) }

    func part(_ count: CheckedSize, at offset: Int) throws(CodecError) -> BinaryReader {
        guard (0...self.count).contains(offset), count.value <= self.count - offset else { throw .endsEarly }
        let start = bytes.startIndex + offset
        return BinaryReader(bytes[start..<start + count.value], isBigEndian: isBigEndian)
    }

    mutating func integer(_ width: Int) throws(CodecError) -> Int {
        let value = try integer(width, at: offset)
        offset += width
        return value
    }

    mutating func size(_ width: Int) throws(CodecError) -> CheckedSize {
        let size = try size(width, at: offset)
        offset += width
        return size
    }

    mutating func name() throws(CodecError) -> FourCC {
        guard let name = name(at: offset) else { throw .endsEarly }
        offset += 4
        return name
    }

    mutating func part(_ count: CheckedSize) throws(CodecError) -> BinaryReader {
        let part = try part(count, at: offset)
        offset += part.count
        return part
    }

    mutating func skip(_ count: CheckedSize) throws(CodecError) { _ = try part(count) }
}

/// A count, offset or length that a file states, up to 2^48; arithmetic that leaves that range throws.
struct CheckedSize: Comparable, ExpressibleByIntegerLiteral {
    let value: Int

    /// No file is larger; sums of two stay far from the limits of `Int`.
    private static let max: UInt64 = 1 << 48

    init(_ value: UInt64) throws(CodecError) {
        guard value <= Self.max else { throw .sizeOutOfRange }
        self.value = Int(value)
    }

    /// For numbers of ours, such as a count of bytes in memory.
    init(_ value: Int) { self.value = value }
    init(integerLiteral value: Int) { self.value = value }

    static func < (one: CheckedSize, other: CheckedSize) -> Bool { one.value < other.value }

    static func + (one: CheckedSize, other: CheckedSize) throws(CodecError) -> CheckedSize {
        try CheckedSize(UInt64(one.value + other.value))
    }

    static func - (one: CheckedSize, other: CheckedSize) throws(CodecError) -> CheckedSize {
        guard one >= other else { throw .sizeOutOfRange }
        return CheckedSize(one.value - other.value)
    }

    static func * (one: CheckedSize, other: CheckedSize) throws(CodecError) -> CheckedSize {
        let (product, overflow) = UInt64(one.value).multipliedReportingOverflow(by: UInt64(other.value))
        guard !overflow else { throw .sizeOutOfRange }
        return try CheckedSize(product)
    }

    /// Returns the number, or `most` if that is less: how many items can be there.
    func upTo(_ most: Int) -> Int { min(value, most) }

    func range(_ count: CheckedSize) throws(CodecError) -> Range<Int> { value..<(try self + count).value }
}

extension CodecError {
    fileprivate static let endsEarly = CodecError(.corrupt, "its header ends early")
    fileprivate static let sizeOutOfRange = CodecError(.corrupt, "its header has a size out of range")
}

/// The four letters that name a box, a chunk or a tag.
struct FourCC: Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    let code: UInt32

    var description: String {
        String(printable: [24, 16, 8, 0].map { Unicode.Scalar(UInt8(truncatingIfNeeded: code >> $0)) })
    }

    init(_ code: UInt32) { self.code = code }
    init(stringLiteral letters: String) { code = letters.utf8.reduce(0) { $0 << 8 | UInt32($1) } }
}

extension [UInt8] {
    /// The lowest `count` bytes of a number.
    init(_ number: Int, bytes count: Int, isBigEndian: Bool = true) {
        let digits = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        self = isBigEndian ? digits.reversed() : digits
    }
}
