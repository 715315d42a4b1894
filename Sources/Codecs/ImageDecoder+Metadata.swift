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
        try inspection(of: ByteReader(image, limits, cancellation)).metadata
    }

    /// Counts the frames of an image without decoding them; 1 for a still image.
    ///
    /// Reads a GIF up to the frame `max`, of other formats headers only.
    ///
    /// - Throws: `CodecError`, as for decoding.
    package func frameCount(of image: EncodedImage, upTo max: Int = .max) throws(CodecError) -> Int {
        try inspection(of: ByteReader(image, limits, .current), maxFrames: max).frames
    }

    /// Reads the header and metadata, and counts frames unless `maxFrames` is 0.
    func inspection(of input: ByteReader, maxFrames: Int = 0) throws(CodecError) -> Inspection {
        let format = try format(of: input)
        if let pool = try pool(for: format) {
            return try pool.inspect(input, InspectRequest(format: format, limits: limits, maxFrames: maxFrames))
        }
        let again = ByteReader(again: input)
        var inspection = Inspection(metadata: try format.entry.open(input, limits, Self.headerWindow).metadata)
        if maxFrames > 0, let count = format.entry.countFrames {
            inspection.frames = try count(again, limits, maxFrames)
        }
        return inspection
    }

    /// Bytes read at a time: EXIF with a thumbnail has about as many.
    static let headerWindow = 16 << 10
}
