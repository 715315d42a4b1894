public import SpyglassPixels

/// Decodes JPEG and PNG files straight to the size that is wanted.
///
///     let decoder = ImageDecoder()
///     let image = try decoder.decode(.file("m31.jpg"), to: TargetSize(box: PixelSize(width: 80, height: 46)))
///
/// Rows stream from the file through the codec into the resampler: memory follows the target, except for a progressive JPEG,
/// whose coefficients must be kept. The format is told by the first bytes. Every input may be hostile: it ends in a picture or in
/// a `DecodeError`, after a time that its limits bound.
///
/// A value without state: any number of threads may use one. Calls read files and compute; they block and belong on a
/// thread of their own.
public struct ImageDecoder: Sendable {
    /// What a file may ask for.
    public let limits: ImageLimits

    /// A decoder with limits.
    public init(limits: ImageLimits = ImageLimits()) {
        self.limits = limits
    }

    /// Reads the header alone.
    ///
    /// - Parameter source: the file's bytes, or where they are.
    /// - Returns: what the header says.
    /// - Throws: `DecodeError`, as for decoding, if the header is at fault.
    public func probe(_ source: EncodedSource) throws(DecodeError) -> ImageInfo {
        let input = try ByteReader(source)
        return switch try format(of: input) {
        case .jpeg: try JPEGDecoding(input, limits) { false }.info
        case .png: try PNGDecoding(input, limits).info
        }
    }

    /// Decodes a picture, upright, in sRGB.
    ///
    /// A file that ends early or is damaged on the way gives the rows that are there; nothing is made up.
    ///
    /// - Parameters:
    ///   - source: the file's bytes, or where they are.
    ///   - target: the size that is wanted.
    ///   - isExact: whether a JPEG is decoded in full and averaged in linear light alone, rather than scaled in part by its inverse
    ///     DCT. The difference is below 53 dB; the cost is about twice as much.
    ///   - isCancelled: asked after every few rows.
    /// - Returns: the picture, with word of how much of it was there.
    /// - Throws: `DecodeError` with the library's own words; of kind `cancelled` when `isCancelled` said so.
    public func decode(
        _ source: EncodedSource, to target: TargetSize, isExact: Bool = false,
        isCancelled: () -> Bool = { Task.isCancelled }
    ) throws(DecodeError) -> DecodedImage {
        let input = try ByteReader(source)
        return switch try format(of: input) {
        case .jpeg:
            try JPEGDecoding(input, limits, isCancelled).decode(to: target, isExact: isExact, isCancelled)
        case .png:
            try PNGDecoding(input, limits).decode(to: target, isCancelled)
        }
    }

    private func format(of input: ByteReader) throws(DecodeError) -> ImageFormat {
        let head = input.head
        switch FileKind.sniff(head.span) {
        case .image(let format): return format
        case .otherImage(let name): throw DecodeError(.unsupported, "\(name) is not supported yet")
        case .notAnImage(let what): throw DecodeError(.notAnImage, "\(what), not a picture")
        case .empty: throw DecodeError(.empty, "empty")
        }
    }
}
