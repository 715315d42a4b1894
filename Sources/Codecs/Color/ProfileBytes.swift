/// Reads an ICC profile's big-endian numbers (ICC.1:2022, section 4); `nil` outside its bytes.
struct ProfileBytes {
    var bytes: [UInt8]

    func number8(at offset: Int) -> UInt8? { bytes.indices.contains(offset) ? bytes[offset] : nil }

    func number16(at offset: Int) -> UInt16? {
        guard offset >= 0, offset <= bytes.count - 2 else { return nil }
        return UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
    }

    func number32(at offset: Int) -> UInt32? {
        guard let high = number16(at: offset), let low = number16(at: offset + 2) else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// An `s15Fixed16Number`: from -32,768 to 32,768 in steps of 1/65,536.
    func fixed(at offset: Int) -> Double? { number32(at: offset).map { Double(Int32(bitPattern: $0)) / 65_536 } }
    func name(at offset: Int) -> ProfileName? { number32(at: offset).map(ProfileName.init) }
}

struct ProfileName: Hashable, ExpressibleByStringLiteral {
    private let code: UInt32

    init(_ code: UInt32) { self.code = code }
    init(stringLiteral letters: String) { code = letters.utf8.reduce(0) { $0 << 8 | UInt32($1) } }
}
