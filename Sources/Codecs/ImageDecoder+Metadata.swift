extension ImageDecoder {
    /// Reads the header and the metadata before the image data; the position (GPS) is left out.
    ///
    /// Costs what `probe` does, a read of 16 KiB or more and some tens of microseconds.
    ///
    /// - Parameters:
    ///   - image: the file's bytes, or its path.
    ///   - isCancelled: called whenever more bytes are needed.
    /// - Returns: the header and what else is stated; damaged metadata counts as missing.
    /// - Throws: `CodecError`, as for decoding.
    public func metadata(
        of image: EncodedImage, isCancelled: () -> Bool = { Task.isCancelled }
    ) throws(CodecError) -> ImageMetadata {
        try withoutActuallyEscaping(isCancelled) { (isCancelled) throws(CodecError) in
            let input = try ByteReader(image, isCancelled: isCancelled)
            return try format(of: input).entry.open(input, limits, Self.headerWindow).metadata
        }
    }

    /// Bytes read at a time: EXIF with a thumbnail has about as many.
    static let headerWindow = 16 << 10
}
