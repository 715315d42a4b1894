public import SpyglassThreads

extension ImageDecoder {
    /// Reads the header and the metadata before the image data; the position (GPS) is left out.
    ///
    /// Costs what `probe` does, a read of 16 KiB or more and some tens of microseconds.
    ///
    /// - Parameters:
    ///   - image: the file's bytes, or its path.
    ///   - cancellation: asked whenever more bytes are needed; without one, the task is.
    /// - Returns: the header and what else is stated; damaged metadata counts as missing.
    /// - Throws: `CodecError`, as for decoding.
    public func metadata(
        of image: EncodedImage, cancellation: Cancellation? = .current
    ) throws(CodecError) -> ImageMetadata {
        let input = try ByteReader(image, cancellation)
        return try format(of: input).entry.open(input, limits, Self.headerWindow).metadata
    }

    /// Counts the frames of an image in Swift, without a library and without decoding; 1 for a still image.
    ///
    /// Reads a GIF up to the frame `max`, of other formats headers only.
    ///
    /// - Throws: `CodecError`, as for decoding.
    package func frameCount(of image: EncodedImage, upTo max: Int = .max) throws(CodecError) -> Int {
        let input = try ByteReader(image, .current)
        return try format(of: input).entry.countFrames?(input, limits, max) ?? 1
    }

    /// Bytes read at a time: EXIF with a thumbnail has about as many.
    static let headerWindow = 16 << 10
}
