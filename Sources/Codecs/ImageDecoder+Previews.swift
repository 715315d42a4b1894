package import SpyglassPixels
internal import SpyglassThreads

extension ImageDecoder {
    /// Decodes a small image that a file carries of itself: the thumbnail of a JPEG's EXIF, a preview of its MPF index, or one
    /// of a RAW file.
    ///
    ///     if let preview = try decoder.embeddedPreview(of: .localFile(file), for: target) { show(preview) }
    ///     show(try decoder.decode(.localFile(file), to: target))
    ///
    /// Such an image may be old, have bars, or show another picture: use it until the image is decoded, and never store
    /// or export it. It is left out if it is smaller than the target, if its aspect ratio differs by more than 1 %,
    /// if it states another orientation or profile, if its size is not as stated, or if it is damaged.
    ///
    /// Costs two headers and the decoding of one image below a megabyte: the first that suffices, of the thumbnail and
    /// then of the index. Blocks.
    ///
    /// - Returns: the image, upright, in sRGB, at the size that `target` gives the whole image, `degraded`; `nil` without
    ///   a suitable one.
    /// - Throws: `CodecError`, as for decoding, if the file's own header cannot be read.
    package func embeddedPreview(of image: EncodedImage, for target: TargetSize) throws(CodecError) -> DecodedImage? {
        let input = try ByteReader(image, limits, .current)
        guard try [.jpeg, .raw, .tiff].contains(format(of: input)) else { return nil }
        let (format, pool) = try route(of: input)
        guard let pool else { return try embeddedPreview(of: input, for: target) }
        var request = DecodeRequest(format, self, DecodeSpec(target, isExact: false))
        request.isEmbeddedPreview = true
        // Its caller reserves the whole image next.
        return try pool.decode(input, request, in: memory)?.image.holding(nil)
    }

    func embeddedPreview(of input: ByteReader, for target: TargetSize) throws(CodecError) -> DecodedImage? {
        switch try route(of: input).format {
        case .jpeg: break
        case .raw:
            let raw = try RAWDecoding(input, limits, windowBytes: Self.headerWindow)
            return try raw.embeddedPreview(for: target, in: memory)
        default: return nil
        }
        let original = try JPEGDecoding(input, limits, windowBytes: Self.headerWindow)
        let candidates = EmbeddedPreviews(original, target, memory)
        if let thumbnail = original.thumbnail, let preview = candidates.image(from: thumbnail) { return preview }
        let head = try input.bytes(min(input.bytesRead, Self.maxHead), at: 0)
        for range in MultiPictureFormat.previews(in: head) where range.count < WorkMemory.minBytes {
            let file = try input.bytes(range.count, at: range.lowerBound)
            guard file.count == range.count else { continue }
            if let preview = candidates.image(from: Exif.Thumbnail(file: file)) { return preview }
        }
        return nil
    }

    /// An MPF segment follows the EXIF; profiles and XMP may be between them.
    private static let maxHead = 256 << 10
    /// A large preview has 2 million pixels; more would cost as much as the image.
    static let maxPreviewPixels = 4_000_000
}

/// The rule for the images that a file carries of itself.
struct EmbeddedPreviews {
    private let info: ImageInfo
    private let colors: ImageColors
    private let profile: EmbeddedProfile
    private let size: PixelSize
    private let memory: WorkMemory?

    private static let limits: ImageLimits = {
        var limits = ImageLimits()
        limits.pixels = ImageDecoder.maxPreviewPixels
        limits.warnings = 1
        return limits
    }()

    /// A share of the wider ratio.
    private static let ratioTolerance = 0.01

    init(_ original: borrowing JPEGDecoding, _ target: TargetSize, _ memory: WorkMemory?) {
        (info, colors, profile) = (original.info, original.colors, original.profile)
        (size, self.memory) = (target.size(for: original.info.size), memory)
    }

    func image(from preview: Exif.Thumbnail) -> DecodedImage? {
        do throws(CodecError) {
            let input = try ByteReader(.bytes(preview.file), Self.limits, .current)
            let decoding = try JPEGDecoding(input, Self.limits, windowBytes: preview.file.count)
            guard suits(decoding, preview) else { return nil }
            // Stored as the image is, unless its own EXIF turned it.
            let turn = decoding.info.orientation == .up ? info.orientation : .up
            let target = TargetSize(box: turn.displayed(size), fit: .fill)
            var spec = DecodeSpec(target, isExact: false)
            spec.grant = memory?.grantToDecode(.current)
            let decoded = try decoding.decode(spec)
            guard decoded.completeness == .complete, decoded.pixels.size == turn.displayed(size) else { return nil }
            let color = decoding.profile == .none ? ColorTransforms.shared.conversion(of: profile, for: colors) : .none
            let pixels = color.converted(decoded.pixels).oriented(turn)
            return DecodedImage(pixels: pixels, info: info, completeness: .degraded)
        } catch {
            return nil
        }
    }

    private func suits(_ decoding: borrowing JPEGDecoding, _ preview: Exif.Thumbnail) -> Bool {
        // CMYK is converted while it is decoded, by the profile.
        guard colors.space != .cmyk, decoding.colors == colors else { return false }
        let stored = decoding.info.storedSize
        let needed = info.orientation.displayed(size)
        guard stored.width >= needed.width, stored.height >= needed.height else { return false }
        let ratio = Double(stored.width) / Double(stored.height)
        let wanted = Double(info.storedSize.width) / Double(info.storedSize.height)
        guard abs(ratio - wanted) <= Self.ratioTolerance * max(ratio, wanted) else { return false }
        // An unstated property is the image's.
        let orientations = [preview.orientation, decoding.statedOrientation].compactMap(\.self)
        guard orientations.allSatisfy({ $0 == info.orientation }), [.none, profile].contains(decoding.profile)
        else { return false }
        return preview.width ?? stored.width == stored.width && preview.height ?? stored.height == stored.height
    }
}
