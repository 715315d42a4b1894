internal import SpyglassPixels

/// The header of a WebP file, read without the library (RFC 9649, section 2).
struct WebPHeader {
    let size: PixelSize
    /// Of an animation: whether the first frame may be transparent, or leaves some of the canvas free.
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
        let head = try input.bytes(Self.firstBytes, at: 0)
        guard head.count == Self.firstBytes else {
            throw .corrupt(.webp, "the file ends inside its header")
        }
        byteCount = Self.firstChunk - 4 + head.littleEndian(4, 4)
        let isExtended = Self.name(head, at: Self.firstChunk) == "VP8X"
        var size = PixelSize(width: 1, height: 1)
        var flags: UInt8 = 0
        if isExtended {
            flags = head[Self.firstChunk + 8]
            size = try limits.size(
                UInt32(head.littleEndian(24, 3) + 1), UInt32(head.littleEndian(27, 3) + 1))
        }
        isAnimated = flags & Self.animationFlag != 0
        hasAlpha = flags & Self.alphaFlag != 0
        var (isImageSeen, hasAlphaChunk) = (false, false)
        var at = Self.firstChunk
        chunks: for _ in 0..<Self.maxChunks {
            let chunk = try input.bytes(Self.frameBytes, at: at)
            guard chunk.count >= 8, at + 8 <= byteCount else { break }
            let content = at + 8
            let count = min(chunk.littleEndian(4, 4), byteCount - content)
            var next = content + count + count % 2
            switch Self.name(chunk, at: 0) {
            case "ICCP" where profile == nil: profile = content..<content + count
            case "EXIF" where exif == nil: exif = content..<content + count
            case "ANIM" where chunk.count >= 14: loops = chunk.littleEndian(12, 2)
            // Its frame follows the first 16 bytes, in chunks of its own.
            case "ANMF" where !isImageSeen: next = content + 16
            case "ALPH" where !isImageSeen: hasAlphaChunk = true
            case "VP8 " where !isImageSeen, "VP8L" where !isImageSeen:
                isImageSeen = true
                isLossless = chunk[3] == UInt8(ascii: "L")
                let stated = try Self.frame(chunk, isLossless: isLossless, limits)
                if isAnimated {
                    hasAlpha = hasAlphaChunk || stated.hasAlpha || stated.size != size
                } else if isExtended {
                    if stated.size != size {
                        throw .corrupt(.webp, "an image of \(stated.size) on a canvas of \(size)")
                    }
                } else {
                    size = stated.size
                    hasAlpha = stated.hasAlpha
                }
            default: break
            }
            let isDone = exif != nil || flags & Self.exifFlag == 0
            if isImageSeen, isDone { break chunks }
            at = next
        }
        guard isImageSeen else { throw .corrupt(.webp, "the file ends inside its header") }
        self.size = size
    }

    /// Counts the frames of an animation; 1 for a still image.
    func countFrames(in input: ByteReader, upTo max: Int) throws(CodecError) -> Int {
        guard isAnimated else { return 1 }
        var (count, at) = (0, Self.firstChunk)
        while count < max, at + 8 <= byteCount {
            let chunk = try input.bytes(8, at: at)
            guard chunk.count == 8 else { break }
            if Self.name(chunk, at: 0) == "ANMF" { count += 1 }
            let size = chunk.littleEndian(4, 4)
            at += 8 + size + size % 2
        }
        return count
    }

    /// The size, and whether a lossless image may be transparent.
    private static func frame(
        _ chunk: [UInt8], isLossless: Bool, _ limits: ImageLimits
    ) throws(CodecError) -> (size: PixelSize, hasAlpha: Bool) {
        guard chunk.count == frameBytes else { throw .corrupt(.webp, "the file ends inside its header") }
        if isLossless {
            guard chunk[8] == 0x2F else { throw .corrupt(.webp, "a lossless image without its signature") }
            let bits = chunk.littleEndian(9, 4)
            return (
                try limits.size(UInt32(bits & 0x3FFF) + 1, UInt32(bits >> 14 & 0x3FFF) + 1), bits >> 28 & 1 == 1
            )
        }
        // RFC 6386, section 9.1.
        guard chunk[8] & 1 == 0, chunk[11...13] == [0x9D, 0x01, 0x2A] else {
            throw .corrupt(.webp, "an image without a key frame")
        }
        let sides = (chunk.littleEndian(14, 2) & 0x3FFF, chunk.littleEndian(16, 2) & 0x3FFF)
        return (try limits.size(UInt32(sides.0), UInt32(sides.1)), false)
    }

    private static func name(_ bytes: [UInt8], at offset: Int) -> String {
        String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    }

    private static let firstChunk = 12
    /// RIFF and the whole of a VP8X chunk, or as much of another.
    private static let firstBytes = 30
    /// A chunk's name and length, and the header of its frame.
    private static let frameBytes = 18
    private static let animationFlag: UInt8 = 0x02
    private static let exifFlag: UInt8 = 0x08
    private static let alphaFlag: UInt8 = 0x10
    /// EXIF follows the frames: behind more it counts as missing.
    private static let maxChunks = 4096

    var colorDescription: String {
        let alpha = hasAlpha ? " and alpha" : ""
        return isLossless ? "RGB\(alpha), 8 bits" : "YCbCr\(alpha), 8 bits"
    }
}
