package import SpyglassCodecs
internal import SpyglassPixels

package struct SampleFile: Sendable {
    /// The kinds of file that the decoders treat differently.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case jpeg, progressiveJPEG, png8, png16, interlacedPNG
        /// CMYK or YCCK, which libjpeg does not convert to RGB.
        case cmykJPEG
        /// Other formats, by the name of their `ImageFormat`.
        case gif, bmp, webp, avif, heif, tiff, qoi, fits, pnm, ico, jxl, raw

        /// The kinds that samples are generated of.
        static let made: [Kind] = [.jpeg, .progressiveJPEG, .png8, .png16, .interlacedPNG]

        /// The library of the format.
        var library: String? {
            switch self {
            case .jpeg, .progressiveJPEG, .cmykJPEG: "libjpeg"
            case .png8, .png16, .interlacedPNG: "libpng"
            case .gif: "giflib"
            case .bmp, .qoi, .fits, .pnm, .ico, .jxl, .raw: nil
            case .webp: "libwebp"
            case .avif: "libavif"
            case .heif: "libheif"
            case .tiff: "libtiff"
            }
        }

        /// Whether a library decodes all files of the kind.
        var hasReference: Bool { self != .cmykJPEG && library != nil }
    }

    let bytes: [UInt8]
    let kind: Kind
    /// As displayed.
    let size: PixelSize
    var limits = ImageLimits()
    /// Whether the C library gives the same pixels: not with EXIF orientation, converted colours, transparency or CMYK, and not
    /// without the library.
    var matchesCLibrary = true
    /// Images of a GIF.
    var frameCount = 1
}

extension SampleFile {
    /// Decodes a file at full size, with Spyglass and, where there is one, with the C library.
    package init(_ bytes: [UInt8], limits: ImageLimits = ImageLimits()) throws(CodecError) {
        let image = try ImageDecoder(limits: limits, workers: .inProcess).decode(.bytes(bytes), to: .original)
        guard image.completeness == .complete else {
            throw CodecError(.corrupt, "truncated or damaged; only complete images are measured")
        }
        let info = image.info
        let kind = try Self.kind(of: info, bytes)
        var matchesCLibrary = false
        if kind.hasReference {
            do throws(BenchError) {
                matchesCLibrary = try CLibrary.decodes(
                    SampleFile(bytes: bytes, kind: kind, size: info.size), to: image.pixels)
            } catch {
                // The other libraries may be missing, and refuse what is decoded here.
                if Kind.made.contains(kind) { throw CodecError(.unsupported, error.description) }
            }
        }
        var frameCount = 1
        if kind == .gif, let animation = try Self.animation(bytes, limits) {
            frameCount = 0
            while try animation.skip() != nil { frameCount += 1 }
        }
        self.init(
            bytes: bytes, kind: kind, size: info.size, limits: limits, matchesCLibrary: matchesCLibrary,
            frameCount: max(frameCount, 1))
    }

    static func animation(_ bytes: [UInt8], _ limits: ImageLimits) throws(CodecError) -> Animation? {
        try ImageDecoder(limits: limits).animation(of: .bytes(bytes), to: .original)
    }

    private static func kind(of info: ImageInfo, _ bytes: [UInt8]) throws(CodecError) -> Kind {
        switch info.format {
        case .jpeg: return CLibrary.isCMYK(bytes) ? .cmykJPEG : info.isProgressive ? .progressiveJPEG : .jpeg
        case .png: return info.isProgressive ? .interlacedPNG : bytes[Self.pngDepthOffset] == 16 ? .png16 : .png8
        default:
            guard let kind = Kind(rawValue: info.format.rawValue) else {
                throw CodecError(.unsupported, "\(info.format) is not measured")
            }
            return kind
        }
    }

    /// The bit depth in a PNG's IHDR chunk (PNG specification, sections 5.2 and 11.2.1).
    private static let pngDepthOffset = 24

    // MARK: Making

    /// Makes different files of one kind, the same in every run.
    static func made(_ kind: Kind, _ size: PixelSize, count: Int) throws(BenchError) -> [SampleFile] {
        var files: [SampleFile] = []
        for seed in 1...UInt64(count) {
            do {
                files.append(try SampleFile(try encoded(SampleImage(size, seed: seed).pixels(), kind)))
            } catch {
                throw BenchError("cannot make a sample image: \(error)")
            }
        }
        return files
    }

    private static func encoded(_ image: PixelBuffer, _ kind: Kind) throws -> [UInt8] {
        switch kind {
        case .jpeg: try ImageEncoder(.jpeg(.init())).encode(image)
        case .progressiveJPEG: try ImageEncoder(.jpeg(.init(isProgressive: true))).encode(image)
        case .png8: try CLibrary.png(image.rgbBytes, image.size, depth: 8, isInterlaced: false)
        case .png16: try CLibrary.png(deep(image.rgbBytes), image.size, depth: 16, isInterlaced: false)
        case .interlacedPNG: try CLibrary.png(image.rgbBytes, image.size, depth: 8, isInterlaced: true)
        default: throw BenchError("cannot generate \(kind) samples")
        }
    }

    /// Sixteen bits for each eight; the low ones must not compress to nothing.
    private static func deep(_ bytes: [UInt8]) -> [UInt8] { zip(bytes, bytes.reversed()).flatMap { [$0, $1] } }
}
