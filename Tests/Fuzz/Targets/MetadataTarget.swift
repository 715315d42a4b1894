import SpyglassCodecs
import SpyglassPixels

/// Any start of a file: a comment in one line of ASCII, or none.
///
/// Any EXIF block: an upright one that is not longer and stable, or none; metadata of bounded texts and positive numbers. The first
/// byte selects; a block may begin as the EXIF segment of a JPEG. Any JPEG: a preview of the target's size, or none.
enum MetadataTarget {
    static func run(_ input: [UInt8]) {
        guard !input.isEmpty else { return }
        if input[0] & 1 == 1 || input[0] == 0x89 { expectComment(input) }
        if input[0] == 0xFF { expectPreview(input) }
        expectBlock(input)
        let name = Array("Exif\0\0".utf8)
        if let at = input.indices.dropLast(name.count).first(where: { input[$0..<$0 + name.count].elementsEqual(name) })
        {
            expectBlock(Array(input[(at + name.count)...]))
        }
    }

    private static func expectComment(_ input: [UInt8]) {
        guard let comment = ImageComment.find(in: input.span) else { return }
        precondition(comment.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && comment.utf8.count <= input.count)
    }

    private static func expectBlock(_ block: [UInt8]) {
        expectMetadata(block)
        guard let upright = ImageEncoder(.png, exif: block).exif else { return }
        precondition(upright.count <= block.count)
        precondition(ImageEncoder(.png, exif: upright).exif == upright)
    }

    private static func expectMetadata(_ block: [UInt8]) {
        let header = ImageInfo(format: .jpeg, storedSize: PixelSize(width: 1, height: 1), colorDescription: "")
        var metadata = ImageMetadata(info: header)
        metadata.read(exif: block[...])
        let numbers = [metadata.exposureTime, metadata.fNumber, metadata.focalLength]
        precondition(numbers.allSatisfy { $0.map { $0 > 0 && $0.isFinite } ?? true })
        // Two of 128 bytes, each of which may become a character of three.
        let texts = [metadata.camera, metadata.lens, metadata.software, metadata.date]
        precondition(texts.allSatisfy { ($0?.utf8.count ?? 0) <= 2 * 3 * 128 + 1 })
    }

    private static func expectPreview(_ file: [UInt8]) {
        let decoder = ImageDecoder()
        let target = TargetSize(box: PixelSize(width: 4, height: 4))
        guard let preview = try? decoder.embeddedPreview(of: .bytes(file), for: target) else {
            return
        }
        precondition(preview.pixels.size == target.size(for: preview.info.size))
    }
}
