package import SpyglassCodecs
internal import SpyglassPixels

/// A picture file in memory, and of which kind it is.
package struct SampleFile: Sendable {
    /// What decoders treat differently.
    enum Kind: Hashable, Sendable, CaseIterable {
        case jpeg, progressiveJPEG, png8, png16, interlacedPNG
        /// Of CMYK or YCCK, which libjpeg does not bring to RGB; not made by us.
        case cmykJPEG

        /// Those of which samples can be made.
        static let made: [Kind] = allCases.filter { $0 != .cmykJPEG }

        /// The C library that reads it.
        var library: String {
            switch self {
            case .jpeg, .progressiveJPEG, .cmykJPEG: "libjpeg"
            case .png8, .png16, .interlacedPNG: "libpng"
            }
        }
    }

    let bytes: [UInt8]
    let kind: Kind
    /// As it is displayed.
    let size: PixelSize
    /// Within which it is decoded.
    let limits: ImageLimits
    /// Whether the C library, called plainly, gives the pixels that we give, at full size.
    ///
    /// Not where EXIF turns the picture, where its colours are converted, and where pixels are wholly transparent, which we give as
    /// zeros; never of inks.
    let matchesCLibrary: Bool

    /// A file of which everything is known.
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

    /// A whole file that can be decoded, by us and, unless it is of inks, by the C library called plainly; both is tried, at full
    /// size, one after the other.
    ///
    /// - Throws: `CodecError`, as `ImageDecoder` does; also for a file that is cut or damaged, which would be measured as if it were
    ///   whole.
    package init(_ bytes: [UInt8], limits: ImageLimits = ImageLimits()) throws(CodecError) {
        let (info, pixels) = try Self.decoded(bytes, limits)
        let kind: Kind =
            switch (info.format, info.isProgressive) {
            case (.jpeg, _) where CLibrary.isCMYK(bytes): .cmykJPEG
            case (.jpeg, false): .jpeg
            case (.jpeg, true): .progressiveJPEG
            case (.png, true): .interlacedPNG
            case (.png, false): bytes[Self.pngDepthOffset] == 16 ? .png16 : .png8
            }
        var matchesCLibrary = false
        if kind != .cmykJPEG {
            do throws(BenchError) {
                matchesCLibrary = try CLibrary.gives(pixels, of: SampleFile(bytes, kind, info.size))
            } catch {
                throw CodecError(.unsupported, error.description)
            }
        }
        self.init(bytes, kind, info.size, limits: limits, matchesCLibrary: matchesCLibrary)
    }

    /// What a file says of itself, and what its pixels are; they are let go of here.
    private static func decoded(
        _ bytes: [UInt8], _ limits: ImageLimits
    ) throws(CodecError) -> (ImageInfo, PixelHash) {
        let image = try ImageDecoder(limits: limits).decode(.bytes(bytes), to: .original, isCancelled: { false })
        guard image.completeness == .complete else {
            throw CodecError(.corrupt, "cut or damaged, and only whole files are measured")
        }
        return (image.info, PixelHash(image.pixels))
    }

    /// Where a PNG's bits a channel stand: behind its signature, the head of its IHDR chunk, width and height (PNG specification,
    /// sections 5.2 and 11.2.1).
    private static let pngDepthOffset = 24
}

extension SampleFile {
    /// Makes samples: of which kind, of which size, how many.
    typealias Maker = (Kind, PixelSize, _ count: Int) throws(BenchError) -> [SampleFile]

    /// Some different files of one kind, of our own making.
    ///
    /// - Parameters:
    ///   - kind: how they are stored; not of inks.
    ///   - size: of their pictures.
    ///   - count: how many.
    /// - Returns: files that are the same every time.
    /// - Throws: `BenchError` when a library cannot write them.
    static func made(_ kind: Kind, _ size: PixelSize, count: Int) throws(BenchError) -> [SampleFile] {
        var files: [SampleFile] = []
        for seed in 1...UInt64(count) {
            let picture = SampleImage(size, seed: seed).pixels()
            do {
                files.append(try SampleFile(try encoded(picture, kind)))
            } catch {
                throw BenchError("a sample picture could not be made: \(error)")
            }
        }
        return files
    }

    private static func encoded(_ picture: PixelBuffer, _ kind: Kind) throws -> [UInt8] {
        switch kind {
        case .jpeg: try ImageEncoder(.jpeg(.init())).encode(picture)
        case .progressiveJPEG: try ImageEncoder(.jpeg(.init(isProgressive: true))).encode(picture)
        case .png8: try CLibrary.png(picture.rgbBytes, picture.size, depth: 8, isInterlaced: false)
        case .png16: try CLibrary.png(deep(picture.rgbBytes), picture.size, depth: 16, isInterlaced: false)
        case .interlacedPNG: try CLibrary.png(picture.rgbBytes, picture.size, depth: 8, isInterlaced: true)
        case .cmykJPEG: throw BenchError("no samples of inks are made")
        }
    }

    /// Sixteen bits for each eight; the low ones are those of a neighbour, so that they do not compress to nothing.
    private static func deep(_ bytes: [UInt8]) -> [UInt8] {
        var deep: [UInt8] = []
        deep.reserveCapacity(bytes.count * 2)
        for at in bytes.indices {
            deep.append(bytes[at])
            deep.append(bytes[bytes.count - 1 - at])
        }
        return deep
    }
}
