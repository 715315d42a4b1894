internal import SpyglassPixels

/// The orientation (tag 274) in an untrusted EXIF block (CIPA DC-008, section 4.6; TIFF 6.0, section 2).
enum ExifOrientation {
    private static let tag: UInt16 = 0x0112
    /// TIFF type 3, 16 bits; some writers use type 4, 32 bits.
    private static let shortType: UInt16 = 3
    private static let longType: UInt16 = 4
    private static let magic: UInt16 = 42
    private static let entryBytes = 12

    static func find(in bytes: Span<UInt8>) -> Orientation? { inDirectory(of: bytes.extracting(start(of: bytes)...)) }

    /// `nil` unless it starts like a TIFF file.
    static func block(of bytes: Span<UInt8>) -> [UInt8]? {
        let tiff = bytes.extracting(start(of: bytes)...)
        guard let isBigEndian = isBigEndian(tiff), number16(tiff, at: 2, isBigEndian) == magic else { return nil }
        return tiff.withUnsafeBufferPointer { Array($0) }
    }

    private static func start(of bytes: Span<UInt8>) -> Int {
        let name: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
        let isNamed = bytes.count >= name.count && name.indices.allSatisfy { bytes[$0] == name[$0] }
        return isNamed ? name.count : 0
    }

    private static func isBigEndian(_ tiff: Span<UInt8>) -> Bool? {
        guard tiff.count >= 8 else { return nil }
        return switch (tiff[0], tiff[1]) {
        case (UInt8(ascii: "M"), UInt8(ascii: "M")): true
        case (UInt8(ascii: "I"), UInt8(ascii: "I")): false
        default: nil
        }
    }

    private static func inDirectory(of tiff: Span<UInt8>) -> Orientation? {
        guard let isBigEndian = isBigEndian(tiff), number16(tiff, at: 2, isBigEndian) == magic,
            let offset = number32(tiff, at: 4, isBigEndian), let count = number16(tiff, at: Int(offset), isBigEndian)
        else { return nil }
        for entry in 0..<Int(count) {
            let at = Int(offset) + 2 + entry * entryBytes
            guard let found = number16(tiff, at: at, isBigEndian) else { return nil }
            guard found == tag else { continue }
            return orientation(tiff, entry: at, isBigEndian)
        }
        return nil
    }

    private static func orientation(_ tiff: Span<UInt8>, entry: Int, _ isBigEndian: Bool) -> Orientation? {
        guard let type = number16(tiff, at: entry + 2, isBigEndian),
            let count = number32(tiff, at: entry + 4, isBigEndian), count == 1
        else { return nil }
        let value =
            switch type {
            case shortType: number16(tiff, at: entry + 8, isBigEndian).map(Int.init)
            case longType: number32(tiff, at: entry + 8, isBigEndian).map(Int.init)
            default: Int?.none
            }
        return value.flatMap(Orientation.init)
    }

    private static func number16(_ bytes: Span<UInt8>, at offset: Int, _ isBigEndian: Bool) -> UInt16? {
        guard offset >= 0, offset <= bytes.count - 2 else { return nil }
        let (first, second) = (UInt16(bytes[offset]), UInt16(bytes[offset + 1]))
        return isBigEndian ? first << 8 | second : second << 8 | first
    }

    private static func number32(_ bytes: Span<UInt8>, at offset: Int, _ isBigEndian: Bool) -> UInt32? {
        guard let first = number16(bytes, at: offset, isBigEndian),
            let second = number16(bytes, at: offset + 2, isBigEndian)
        else { return nil }
        let (high, low) = isBigEndian ? (first, second) : (second, first)
        return UInt32(high) << 16 | UInt32(low)
    }
}
