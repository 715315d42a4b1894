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

/// The index of a JPEG that holds several (CIPA DC-007, section 5.2), in its untrusted first bytes.
enum MultiPictureFormat {
    /// The large thumbnails of classes 1 and 2, of 640x480 and 1920x1080 pixels at least.
    private static let previewTypes = [0x01_0001, 0x01_0002]
    private static let entriesTag = 0xB002
    private static let entryBytes = 16
    /// Files name two or three; a segment may name 4,095.
    private static let maxEntries = 16
    private static let name = Array("MPF\0".utf8)

    /// Returns where in the file its previews are, by the order of the index; ranges may be outside of the file.
    static func previews(in head: [UInt8]) -> [Range<Int>] {
        var segments = JPEGSegments(BinaryReader(head))
        // Offsets count from the end of the name.
        guard let block = segments.first(JPEGSegments.applicationData2, named: name)?.bytes.dropFirst(name.count),
            let tiff = TIFFBlock(block), let index = tiff.firstDirectory,
            let entry = tiff.entry(entriesTag, in: index), let entries = tiff.value(entry)
        else { return [] }
        return stride(from: entries.lowerBound, through: entries.upperBound - entryBytes, by: entryBytes)
            .prefix(maxEntries).compactMap { at in
                guard let attributes = tiff.number32(at: at), previewTypes.contains(attributes & 0xFF_FFFF),
                    let count = try? tiff.reader.size(4, at: at + 4),
                    let offset = try? tiff.reader.size(4, at: at + 8), offset > 0
                else { return nil }
                return try? (CheckedSize(block.startIndex) + offset).range(count)
            }
    }
}
