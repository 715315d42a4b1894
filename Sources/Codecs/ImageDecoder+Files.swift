package import SpyglassPixels
internal import SpyglassThreads

extension ImageDecoder {
    /// Decodes an image once, and encodes files of it; in a worker, if one decodes it.
    ///
    /// An image that is not complete makes no files. Blocks.
    ///
    /// - Parameters:
    ///   - plans: the files, each with its size.
    ///   - image: the bytes, or the path.
    ///   - number: an open file to read instead; the caller keeps it open.
    ///   - filter: how source pixels are combined.
    ///   - isExact: as for decoding.
    ///   - keepsMetadata: whether files contain the EXIF of the image.
    ///   - encodingBytes: bytes that a pixel takes while it is encoded, reserved with the decode.
    /// - Returns: the image without pixels, and the files.
    /// - Throws: `CodecError`, as for decoding and encoding.
    package func files(
        _ plans: [FilePlan], of image: EncodedImage, opened number: Int32?, filter: ResampleFilter, isExact: Bool,
        keepsMetadata: Bool, encodingBytes: Int
    ) throws(CodecError) -> EncodedFiles {
        let input = try ByteReader(image, limits, opened: number, .current)
        var spec = DecodeSpec(plans.map(\.target), filter, isExact: isExact, readsMetadata: keepsMetadata)
        spec.encodingBytes = encodingBytes
        let format = try format(of: input)
        guard let pool = try pool(for: format) else {
            let image = try decode(input, spec)
            return EncodedFiles(image: image.withoutPixels, files: try image.files(plans))
        }
        var request = DecodeRequest(format, self, spec)
        request.plans = plans
        request.makesFiles = true
        guard let (image, files) = try pool.decode(input, request, in: memory) else {
            throw CodecError(.library, "no image")
        }
        return EncodedFiles(image: image, files: files)
    }
}
