internal import SpyglassCaching
package import SpyglassCodecs
internal import SpyglassPixels

package struct SampleFile: Sendable {
    /// The kinds of file that the decoders treat differently.
    enum Kind: Hashable, Sendable, CaseIterable {
        case jpeg, progressiveJPEG, png8, png16, interlacedPNG
        /// CMYK or YCCK, which libjpeg does not convert to RGB; never generated.
        case cmykJPEG

        static let made: [Kind] = allCases.filter { $0 != .cmykJPEG }

        var library: String {
            switch self {
            case .jpeg, .progressiveJPEG, .cmykJPEG: "libjpeg"
            case .png8, .png16, .interlacedPNG: "libpng"
            }
        }
    }

    let bytes: [UInt8]
    let kind: Kind
    /// As displayed.
    let size: PixelSize
    let limits: ImageLimits
    /// Whether the C library gives the same pixels: not with EXIF orientation, converted colours, transparency or CMYK.
    let matchesCLibrary: Bool

    init(
        _ bytes: [UInt8], _ kind: Kind, _ size: PixelSize, limits: ImageLimits = ImageLimits(),
        matchesCLibrary: Bool = true
    ) {
        self.bytes = bytes
        self.kind = kind
        self.size = size
        self.limits = limits
        self.matchesCLibrary = matchesCLibrary
    }

    /// Decodes a file at full size, with Spyglass and, unless it is CMYK, with the C library.
    package init(_ bytes: [UInt8], limits: ImageLimits = ImageLimits()) throws(CodecError) {
        let (info, pixels) = try Self.decoded(bytes, limits)
        let kind: Kind =
            switch (info.format, info.isProgressive) {
            case (.jpeg, _) where CLibrary.isCMYK(bytes): .cmykJPEG
            case (.jpeg, false): .jpeg
            case (.jpeg, true): .progressiveJPEG
            case (.png, true): .interlacedPNG
            case (.png, false): bytes[Self.pngDepthOffset] == 16 ? .png16 : .png8
            case (let format, _): throw CodecError(.unsupported, "\(format) files are not measured")
            }
        var matchesCLibrary = false
        if kind != .cmykJPEG {
            do throws(BenchError) {
                matchesCLibrary = try CLibrary.decodes(SampleFile(bytes, kind, info.size), to: pixels)
            } catch {
                throw CodecError(.unsupported, error.description)
            }
        }
        self.init(bytes, kind, info.size, limits: limits, matchesCLibrary: matchesCLibrary)
    }

    private static func decoded(_ bytes: [UInt8], _ limits: ImageLimits) throws(CodecError) -> (ImageInfo, PixelHash) {
        let image = try ImageDecoder(limits: limits).decode(.bytes(bytes), to: .original, isCancelled: { false })
        guard image.completeness == .complete else {
            throw CodecError(.corrupt, "truncated or damaged; only complete images are measured")
        }
        return (image.info, PixelHash(size: image.pixels.size, value: XXHash64.hash(image.pixels.bytes)))
    }

    /// The bit depth in a PNG's IHDR chunk (PNG specification, sections 5.2 and 11.2.1).
    private static let pngDepthOffset = 24
}

extension SampleFile {
    typealias Maker = (Kind, PixelSize, _ count: Int) throws(BenchError) -> [SampleFile]

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
        case .cmykJPEG: throw BenchError("cannot generate CMYK samples")
        }
    }

    /// Sixteen bits for each eight; the low ones are another byte's, so that they do not compress to nothing.
    private static func deep(_ bytes: [UInt8]) -> [UInt8] {
        var deep: [UInt8] = []
        deep.reserveCapacity(bytes.count * 2)
        for (high, low) in zip(bytes, bytes.reversed()) { deep += [high, low] }
        return deep
    }
}
