public import SpyglassPixels

/// Decodes JPEG and PNG files straight to the size that is wanted.
///
///     let decoder = ImageDecoder()
///     let image = try decoder.decode(.file("m31.jpg"), to: TargetSize(box: PixelSize(width: 80, height: 46)))
///
/// Rows stream from the file through the codec into the resampler: memory follows the target, except for a progressive JPEG,
/// whose coefficients must be kept. The format is told by the first bytes. Every input may be hostile: it ends in a picture or in
/// a `CodecError`, after a time that its limits bound.
///
/// A value without state: any number of threads may use one. Calls read files and compute; they block and belong on a
/// thread of their own.
public struct ImageDecoder: Sendable {
    /// What a file may ask for.
    public let limits: ImageLimits
    /// Bytes of a JPEG that its library is given at once, which changes neither the picture nor what is said of it.
    public let windowBytes: Int

    /// A decoder with limits; a window below one byte counts as one.
    public init(limits: ImageLimits = ImageLimits(), windowBytes: Int = 64 * 1024) {
        self.limits = limits
        self.windowBytes = max(windowBytes, 1)
    }

    /// Reads the header alone.
    ///
    /// - Parameters:
    ///   - picture: the file's bytes, or where they are.
    ///   - isCancelled: asked whenever more bytes are needed.
    /// - Returns: what the header says.
    /// - Throws: `CodecError`, as for decoding, if the header is at fault.
    public func probe(
        _ picture: EncodedImage, isCancelled: () -> Bool = { Task.isCancelled }
    ) throws(CodecError) -> ImageInfo {
        try withoutActuallyEscaping(isCancelled) { (isCancelled) throws(CodecError) in
            let input = try ByteReader(picture, isCancelled: isCancelled)
            return switch try format(of: input) {
            case .jpeg: try JPEGDecoding(input, limits, windowBytes: windowBytes).info
            case .png: try PNGDecoding(input, limits).info
            }
        }
    }

    /// Decodes a picture, upright, in sRGB.
    ///
    /// A file that ends early, or that its library gives up after the first row, gives the rows that are there; nothing is made
    /// up. What is given up within the scans of a progressive JPEG is an error.
    ///
    /// - Parameters:
    ///   - picture: the file's bytes, or where they are.
    ///   - target: the size that is wanted.
    ///   - isExact: whether a JPEG is decoded in full and averaged in linear light alone, rather than scaled in part by its inverse
    ///     DCT. The difference lies 53 dB below the range of a picture on average, and 37 dB at the worst that was measured;
    ///     the cost is about twice as much.
    ///   - isCancelled: asked after every few rows, and whenever more bytes are needed.
    /// - Returns: the picture, with word of how much of it was there.
    /// - Throws: `CodecError` with the library's own words; of kind `cancelled` when `isCancelled` said so.
    public func decode(
        _ picture: EncodedImage, to target: TargetSize, isExact: Bool = false,
        isCancelled: () -> Bool = { Task.isCancelled }
    ) throws(CodecError) -> DecodedImage {
        try decode(picture, DecodeSpec(target, isExact: isExact), isCancelled: isCancelled)
    }

    /// Decodes a picture once for several sizes, upright, in sRGB.
    ///
    ///     let images = try decoder.decode(.file("m31.jpg"), to: [.original, small], filter: .lanczos)
    ///
    /// As for one size, but for the DCT scale of a JPEG: it is the one that the most demanding of the sizes allows, so that a picture
    /// may depend on the sizes that it is made with, and on nothing else. Memory is that of all pictures and a few rows of the
    /// source for each; an interlaced PNG is kept whole for Lanczos, at one to four bytes for each pixel that `limits` allow.
    ///
    /// - Parameters:
    ///   - picture: the file's bytes, or where they are.
    ///   - targets: the sizes that are wanted; for none of them the file is read for its other properties.
    ///   - filter: how source pixels become target pixels.
    ///   - isExact: whether a JPEG is decoded in full whatever the sizes are.
    ///   - readsMetadata: whether the file's EXIF is kept.
    ///   - isCancelled: asked after every few rows, and whenever more bytes are needed.
    /// - Returns: a picture for each size, with word of how much of the file was there.
    /// - Throws: `CodecError` with the library's own words; of kind `limit` also where the pictures are too many pixels
    ///   together, and `cancelled` when `isCancelled` said so.
    public func decode(
        _ picture: EncodedImage, to targets: [TargetSize], filter: ResampleFilter = .area, isExact: Bool = false,
        readsMetadata: Bool = false, isCancelled: () -> Bool = { Task.isCancelled }
    ) throws(CodecError) -> DecodedImage {
        let wish = DecodeSpec(targets, filter, isExact: isExact, readsMetadata: readsMetadata)
        return try decode(picture, wish, isCancelled: isCancelled)
    }

    /// Decodes a picture as for one size, a JPEG at the DCT scale that leaves the resampler so much.
    ///
    /// For measuring: the pictures are darker around small lights than those of the other calls.
    ///
    /// - Parameters:
    ///   - picture: the file's bytes, or where they are.
    ///   - target: the size that is wanted.
    ///   - left: how many times larger than the target each side is at least after the inverse DCT; with a little less than 1, a target
    ///     of the scaled size leaves nothing to be resampled.
    /// - Returns: the picture.
    /// - Throws: `CodecError`, as for one size.
    package func decode(
        _ picture: EncodedImage, to target: TargetSize, leaving left: Double
    ) throws(CodecError) -> PixelBuffer {
        var wish = DecodeSpec(target, isExact: false)
        wish.minLeft = left
        return try decode(picture, wish, isCancelled: { false }).pixels
    }

    private func decode(
        _ picture: EncodedImage, _ wish: DecodeSpec, isCancelled: () -> Bool
    ) throws(CodecError) -> DecodedImage {
        try withoutActuallyEscaping(isCancelled) { (isCancelled) throws(CodecError) in
            let input = try ByteReader(picture, isCancelled: isCancelled)
            return switch try format(of: input) {
            case .jpeg: try JPEGDecoding(input, limits, windowBytes: windowBytes).decode(wish)
            case .png: try PNGDecoding(input, limits).decode(wish)
            }
        }
    }

    private func format(of input: ByteReader) throws(CodecError) -> ImageFormat {
        let head = input.head
        return try FileKind.sniff(head.span).decodable()
    }
}
