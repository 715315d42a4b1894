internal import SpyglassCAVIF
internal import SpyglassPixels

/// Encodes an image as an AVIF through libavif and libaom (`avifEncoderWrite`), on one thread, so that bytes do not depend on it.
struct AVIFEncoding {
    /// From 1 to 100.
    let quality: Int
    /// From 0, fast, to 6, small.
    let effort: Int

    /// The longest side that an AV1 header holds.
    private static let maxSide = 65_535
    /// libaom's slowest speed that is worth its time for a batch is 4.
    private static let fastest = 10
    /// The largest image whose repeated blocks are found: the tables for that take more memory than the rest.
    private static let maxRepeatPixels = 2 << 20

    /// The maximum memory for an image of `size`, or for a part of it, besides the image (docs/architecture/decisions.md).
    func workBytes(for size: PixelSize, isCropped: Bool) -> Int {
        // libaom keeps some frames, each with a border.
        let frames = 72 * size.pixelCount + 2700 * (size.width + size.height) + 8 << 20
        // At low effort, it needs no tables.
        guard effort > 2, isCropped || size.pixelCount <= Self.maxRepeatPixels else { return frames }
        return frames + 96 * min(size.pixelCount, Self.maxRepeatPixels) + 32 << 20
    }

    func encoded(_ image: PixelBuffer, _ metadata: FileMetadata) throws(CodecError) -> [UInt8] {
        let size = image.size
        guard max(size.width, size.height) <= Self.maxSide else {
            throw CodecError(.limit, "\(size) is too large for an AVIF, whose sides are at most 65,535 pixels")
        }
        let library = try AVIFLibrary.encoder.get().functions
        var message = [CChar](repeating: 0, count: 256)
        var file = sg_avif_bytes()
        defer { sg_avif_free(library, &file) }
        var (profile, exif, xmp) = (metadata.profile ?? [], metadata.exif ?? [], XMP.bytes(metadata.comment))
        let isEncoded = profile.withUnsafeMutableBufferPointer { profile in
            exif.withUnsafeMutableBufferPointer { exif in
                xmp.withUnsafeMutableBufferPointer { xmp in
                    var encoding = sg_avif_encoding(
                        width: UInt32(size.width), height: UInt32(size.height), has_alpha: !image.isOpaque,
                        has_full_chroma: ChromaSubsampling.suiting(quality: quality) == .ratio444,
                        finds_repeats: size.pixelCount <= Self.maxRepeatPixels,
                        quantizer: CInt(quantizer), speed: CInt(Self.fastest - effort), profile: .init(profile),
                        exif: .init(exif), xmp: .init(xmp))
                    return sg_avif_encode(library, &encoding, image.bytes, &file, &message, message.count)
                }
            }
        }
        guard isEncoded else {
            throw CodecError(.library, "not encoded: \(String(libraryMessage: message)) (libavif)")
        }
        return Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
    }

    /// The scale of libavif 1.0, which 0.11 lacks: from 0, best, to 63.
    private var quantizer: Int { ((100 - quality) * 63 + 50) / 100 }
}

extension sg_avif_bytes {
    fileprivate init(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
        self.init(bytes: bytes.baseAddress, size: bytes.count)
    }
}
