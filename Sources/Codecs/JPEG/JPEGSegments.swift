/// The segments of a JPEG before its first scan (T.81, B.1.1.4), in its untrusted first bytes.
struct JPEGSegments: IteratorProtocol {
    private var reader: BinaryReader
    /// Whether the first scan follows the last segment.
    private(set) var reachesScan = false

    static let applicationData2 = 0xE2
    static let comment = 0xFE
    private static let startOfScan = 0xDA
    private static let endOfImage = 0xD9

    init(_ head: BinaryReader) {
        reader = head
        if (try? reader.integer(2)) != 0xFFD8 { reader = BinaryReader([]) }
    }

    /// Returns the next segment; `nil` after the last one, and for one that is not whole.
    mutating func next() -> (marker: Int, content: BinaryReader)? {
        do throws(CodecError) {
            guard try reader.integer(1) == 0xFF else { return nil }
            var marker = try reader.integer(1)
            while marker == 0xFF { marker = try reader.integer(1) }  // fill bytes
            reachesScan = marker == Self.startOfScan
            guard !reachesScan, marker != Self.endOfImage else { return nil }
            return (marker, try reader.part(reader.size(2) - 2))
        } catch {
            return nil
        }
    }

    /// Returns the content of the first segment with a marker that starts with `name`.
    mutating func first(_ marker: Int, named name: [UInt8] = []) -> BinaryReader? {
        while let segment = next() {
            if segment.marker == marker, segment.content.matches(name) { return segment.content }
        }
        return nil
    }
}
