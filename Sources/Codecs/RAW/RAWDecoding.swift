internal import SpyglassPixels
internal import SpyglassThreads

/// Decodes the largest JPEG that a camera has put into its RAW file; the sensor's data is not developed.
struct RAWDecoding: ~Copyable, ImageDecoding {
    private let jpeg: JPEGDecoding
    private let input: ByteReader
    /// Smaller ones, the longest first.
    private let others: [Range<Int>]
    private let exif: [UInt8]?
    /// Why the largest preview is not the one that is decoded, if it is not.
    private let damage: String?

    init(_ input: ByteReader, _ limits: ImageLimits, windowBytes: Int) throws(CodecError) {
        let file = try RAWFile(input)
        var failure: CodecError?
        for (index, range) in file.previews.enumerated() {
            let origin = JPEGHeader.Origin(format: .raw, orientation: file.orientation)
            do throws(CodecError) {
                jpeg = try JPEGDecoding(ByteReader(range, of: input), limits, windowBytes: windowBytes, origin)
            } catch {
                switch error.kind {
                // A smaller one may be whole.
                case .corrupt: failure = failure ?? .corrupt(.raw, "its preview: \(error.detail)")
                // Data of the sensor may be a JPEG, too, which the library refuses: it is lossless.
                case .unsupported: break
                default: throw error
                }
                continue
            }
            others = Array(file.previews[(index + 1)...])
            damage = failure?.detail ?? (file.isCut ? "its largest preview may be missing" : nil)
            (exif, self.input) = (file.exif, input)
            return
        }
        throw failure ?? .unsupported(.raw, "it has no preview, and sensor data cannot be decoded")
    }

    var info: ImageInfo { jpeg.info }

    var metadata: ImageMetadata {
        guard let exif else { return jpeg.metadata }
        var metadata = ImageMetadata(info, jpeg.profile)
        metadata.read(exif: exif[...])
        return metadata
    }

    func workBytes(_ spec: DecodeSpec) -> Int { jpeg.workBytes(spec) }

    func decode(_ spec: DecodeSpec) throws(CodecError) -> DecodedImage {
        var image = try jpeg.decode(spec)
        if spec.readsMetadata, let exif { image.exif = exif }
        if let damage, image.completeness == .complete {
            (image.completeness, image.firstWarning) = (.degraded, damage)
        }
        return image
    }

    /// Decodes a smaller JPEG that suffices for a target, the shortest first; `nil` without one.
    func embeddedPreview(for target: TargetSize, in memory: WorkMemory?) throws(CodecError) -> DecodedImage? {
        let candidates = EmbeddedPreviews(jpeg, target, memory)
        for range in others.reversed() where range.count < WorkMemory.minBytes {
            let file = try input.bytes(range.count, at: range.lowerBound)
            if let preview = candidates.image(from: Exif.Thumbnail(file: file)) { return preview }
        }
        return nil
    }
}
