internal import SpyglassPixels

/// The header of a WebP file, read without the library (RFC 9649, section 2).
struct WebPHeader {
    let size: PixelSize
    /// Whether pixels may be transparent; in an animation those of the first frame, or the canvas around it.
    private(set) var hasAlpha: Bool
    private(set) var isLossless = false
    let isAnimated: Bool
    /// How often an animation is shown; 0 for ever.
    private(set) var loops = 0
    /// The bytes of the file, by its first chunk; the file may have fewer.
    let byteCount: Int
    /// Where the profile and the EXIF block are.
    private(set) var profile: Range<Int>?
    private(set) var exif: Range<Int>?

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let first = try input.bytes(Self.firstChunk, at: 0)
        guard first.count == Self.firstChunk else { throw Self.endsInHeader }
        byteCount = (try BinaryReader(first, isBigEndian: false).size(4, at: 4) + 8).value
        guard let chunk = try Chunk(input, at: Self.firstChunk, within: byteCount) else { throw Self.endsInHeader }
        let isExtended = chunk.name == "VP8X"
        var size = PixelSize(width: 1, height: 1)
        var flags = 0
        if isExtended {
            guard chunk.start.count >= 10 else { throw Self.endsInHeader }
            flags = try chunk.start.integer(1, at: 0)
            size = try limits.size(UInt32(chunk.start.integer(3, at: 4) + 1), UInt32(chunk.start.integer(3, at: 7) + 1))
        }
        isAnimated = flags & Self.animationFlag != 0
        hasAlpha = flags & Self.alphaFlag != 0
        var (isImageSeen, hasAlphaChunk) = (false, false)
        var at = Self.firstChunk
        for _ in 0..<Self.maxChunks {
            guard let chunk = try Chunk(input, at: at, within: byteCount) else { break }
            at = chunk.next
            switch chunk.name {
            case "ICCP" where profile == nil: profile = chunk.content
            case "EXIF" where exif == nil: exif = chunk.content
            case "ANIM" where chunk.start.count >= 6: loops = try chunk.start.integer(2, at: 4)
            // Its frame follows the first 16 bytes, in chunks of its own.
            case "ANMF" where !isImageSeen: at = chunk.content.lowerBound + 16
            case "ALPH" where !isImageSeen: hasAlphaChunk = true
            case "VP8 " where !isImageSeen, "VP8L" where !isImageSeen:
                isImageSeen = true
                isLossless = chunk.name == "VP8L"
                let stated = try Self.frame(chunk.start, isLossless: isLossless, limits)
                if isAnimated {
                    hasAlpha = hasAlphaChunk || stated.hasAlpha || stated.size != size
                } else if !isExtended {
                    (size, hasAlpha) = (stated.size, stated.hasAlpha)
                } else if stated.size != size {
                    throw .corrupt(.webp, "an image of \(stated.size) on a canvas of \(size)")
                }
            default: break
            }
            if isImageSeen, exif != nil || flags & Self.exifFlag == 0 { break }
        }
        guard isImageSeen else { throw Self.endsInHeader }
        self.size = size
    }

    /// A chunk that starts within the file.
    private struct Chunk {
        let name: FourCC
        let content: Range<Int>
        let next: Int
        /// The first bytes of the content: a frame's header, or fewer.
        let start: BinaryReader

        init?(_ input: ByteReader, at offset: Int, within byteCount: Int) throws(CodecError) {
            var head = BinaryReader(try input.bytes(8 + frameBytes, at: offset), isBigEndian: false)
            guard head.count >= 8, offset + 8 <= byteCount else { return nil }
            name = try head.name()
            let count = try head.size(4)
            content = offset + 8..<offset + 8 + count.upTo(byteCount - offset - 8)
            next = content.upperBound + content.count % 2
            start = try head.part(CheckedSize(min(head.left, content.count)))
        }
    }

    /// Counts the frames of an animation; 1 for a still image.
    func countFrames(in input: ByteReader, upTo max: Int) throws(CodecError) -> Int {
        guard isAnimated else { return 1 }
        var (count, others, at) = (0, 0, Self.firstChunk)
        while count < max, others < Self.maxChunks, let chunk = try Chunk(input, at: at, within: byteCount) {
            if chunk.name == "ANMF" { count += 1 } else { others += 1 }
            at = chunk.next
        }
        return count
    }

    /// Returns the size, and whether a lossless image may be transparent.
    private static func frame(
        _ start: BinaryReader, isLossless: Bool, _ limits: ImageLimits
    ) throws(CodecError) -> (size: PixelSize, hasAlpha: Bool) {
        guard start.count >= (isLossless ? 5 : 10) else { throw endsInHeader }
        if isLossless {
            guard start.matches([0x2F]) else { throw .corrupt(.webp, "a lossless image without its signature") }
            let bits = try start.integer(4, at: 1)
            let size = try limits.size(UInt32(bits & 0x3FFF) + 1, UInt32(bits >> 14 & 0x3FFF) + 1)
            return (size, bits >> 28 & 1 == 1)
        }
        // RFC 6386, section 9.1.
        guard try start.integer(1, at: 0) & 1 == 0, start.matches([0x9D, 0x01, 0x2A], at: 3) else {
            throw .corrupt(.webp, "an image without a key frame")
        }
        let sides = (try start.integer(2, at: 6) & 0x3FFF, try start.integer(2, at: 8) & 0x3FFF)
        return (try limits.size(UInt32(sides.0), UInt32(sides.1)), false)
    }

    private static let endsInHeader = CodecError.corrupt(.webp, "the file ends inside its header")
    private static let firstChunk = 12
    /// The header of a lossy frame, or of the canvas.
    private static let frameBytes = 10
    private static let animationFlag = 0x02
    private static let exifFlag = 0x08
    private static let alphaFlag = 0x10
    /// EXIF follows the frames: behind more chunks it counts as missing.
    private static let maxChunks = 4096

    var colorDescription: String { "\(isLossless ? "RGB" : "YCbCr")\(hasAlpha ? " and alpha" : ""), 8 bits" }
}
