/// Finds a segment of a JPEG before its first scan (T.81, B.1.1.4), in its untrusted first bytes.
enum JPEGSegments {
    static let applicationData2: UInt8 = 0xE2
    static let comment: UInt8 = 0xFE
    private static let startOfScan: UInt8 = 0xDA
    private static let endOfImage: UInt8 = 0xD9

    /// Whether the segments up to the first scan lie within the bytes.
    static func reachesScan(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return false }
        var at = 2
        while at + 4 <= bytes.count, bytes[at] == 0xFF {
            switch bytes[at + 1] {
            case 0xFF: at += 1
            case startOfScan: return true
            default: at += 2 + max(Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]), 2)
            }
        }
        return false
    }

    /// Returns where the content of the first matching segment is; `nil` if it does not end within the bytes.
    static func find(
        _ marker: UInt8, in bytes: Span<UInt8>, where matches: (_ content: Span<UInt8>) -> Bool = { _ in true }
    ) -> Range<Int>? {
        guard bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
        var at = 2
        while at + 4 <= bytes.count, bytes[at] == 0xFF {
            let found = bytes[at + 1]
            if found == 0xFF {  // a fill byte
                at += 1
                continue
            }
            let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
            let end = at + 2 + length
            guard found != startOfScan, found != endOfImage, length >= 2, end <= bytes.count else { return nil }
            if found == marker, matches(bytes.extracting(at + 4..<end)) { return at + 4..<end }
            at = end
        }
        return nil
    }
}
