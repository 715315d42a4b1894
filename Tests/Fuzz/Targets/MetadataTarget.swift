import SpyglassCodecs

/// Any start of a file: a comment in one line of ASCII, or none.
///
/// Any EXIF block: an upright one that is not longer and stable, or none. The first byte selects; a block may begin
/// as the EXIF segment of a JPEG.
enum MetadataTarget {
    static func run(_ input: [UInt8]) {
        guard !input.isEmpty else { return }
        if input[0] & 1 == 1 || input[0] == 0x89 { expectComment(input) }
        expectUpright(input)
        let name = Array("Exif\0\0".utf8)
        if let at = input.indices.dropLast(name.count).first(where: { input[$0..<$0 + name.count].elementsEqual(name) })
        {
            expectUpright(Array(input[(at + name.count)...]))
        }
    }

    private static func expectComment(_ input: [UInt8]) {
        guard let comment = ImageComment.find(in: input.span) else { return }
        precondition(comment.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && comment.utf8.count <= input.count)
    }

    private static func expectUpright(_ block: [UInt8]) {
        guard let upright = ImageEncoder(.png, exif: block).exif else { return }
        precondition(upright.count <= block.count)
        precondition(ImageEncoder(.png, exif: upright).exif == upright)
    }
}
