/// The index of a JPEG that holds several (CIPA DC-007, section 5.2), in its untrusted first bytes.
enum MultiPictureFormat {
    /// The large thumbnails of classes 1 and 2, of 640x480 and 1920x1080 pixels at least.
    private static let previewTypes = [0x01_0001, 0x01_0002]
    private static let entriesTag = 0xB002
    private static let entryBytes = 16
    /// Files name two or three; a segment may name 4,095.
    private static let maxEntries = 16
    private static let name = Array("MPF\0".utf8)

    /// Where in the file its previews are, by the order of the index; ranges may be outside of the file.
    static func previews(in head: Span<UInt8>) -> [Range<Int>] {
        let segment = JPEGSegments.find(JPEGSegments.applicationData2, in: head) { content in
            content.count > name.count && name.indices.allSatisfy { content[$0] == name[$0] }
        }
        guard let segment else { return [] }
        // Offsets count from here.
        let base = segment.lowerBound + name.count
        let block = head.extracting(base..<segment.upperBound)
        guard let tiff = TIFFBlock(block), let index = tiff.firstDirectory(of: block),
            let entry = tiff.entry(entriesTag, in: index, of: block), let entries = tiff.value(entry, of: block)
        else { return [] }
        return stride(from: entries.lowerBound, through: entries.upperBound - entryBytes, by: entryBytes)
            .prefix(maxEntries).compactMap { at in
                guard let attributes = tiff.number32(block, at: at), previewTypes.contains(attributes & 0xFF_FFFF),
                    let count = tiff.number32(block, at: at + 4), let offset = tiff.number32(block, at: at + 8),
                    offset > 0
                else { return nil }
                return base + offset..<base + offset + count
            }
    }
}
