internal import SpyglassPixels

/// An opened file whose header is read.
protocol ImageDecoding: ~Copyable {
    var info: ImageInfo { get }
    var metadata: ImageMetadata { get }
    /// Bytes that decoding takes besides rows and outputs.
    func workBytes(_ spec: DecodeSpec) -> Int
    func decode(_ spec: DecodeSpec) throws(CodecError) -> DecodedImage
}

/// A decoder that passes stored rows on, from the first to the last; resampling and colours are the same for every format.
protocol RowDecoding: ImageDecoding, MetadataReader, ~Copyable {
    var input: ByteReader { get }
    var limits: ImageLimits { get }
    var colors: ImageColors { get }
    /// How a channel's value follows from light; sRGB unless the file states another curve.
    var transfer: TransferCurve { get }

    /// Prepares for rows; their memory is reserved.
    func start() throws(CodecError) -> RowLayout
    /// Passes the rows of `area` to `take`, each as wide as the stored image; rows above it may be skipped.
    ///
    /// Throws if there are none. A file that ends early has the rows before its end.
    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead
}

/// How much of the wanted rows a file held.
struct RowsRead {
    var completeness = DecodedImage.Completeness.complete
    var warnings = 0
    /// In the library's words.
    var firstWarning: String?
}

extension ImageDecoding where Self: ~Copyable {
    func workBytes(_ spec: DecodeSpec) -> Int { 0 }
}

extension RowDecoding where Self: ~Copyable {
    var metadata: ImageMetadata { metadata(info) }
    var transfer: TransferCurve { .sRGB }

    func decode(_ spec: DecodeSpec) throws(CodecError) -> DecodedImage {
        let sizes = try spec.storedSizes(of: info, limits)
        let color = ColorTransforms.shared.conversion(of: profile(), for: colors)
        let isPlain = color.transform == nil && info.orientation == .up
        let share = try spec.reserve(
            sizes, of: info.storedSize, copies: isPlain ? 1 : 2, work: workBytes(spec), within: limits)
        let layout = try start()
        let area = spec.storedArea(of: info)
        let resamplers = sizes.map {
            RowResampler(
                spec.filter, from: info.storedSize, part: area, to: $0, layout: layout, transfer: transfer)
        }
        let columns = area.x * layout.channels..<area.endX * layout.channels
        let rows = try readRows(of: area, layout, spec) { row in
            let pixels = row.extracting(columns)
            for resampler in resamplers { resampler.add(pixels) }
        }
        return DecodedImage(
            buffers: OutputTransform(info: info, color: color).images(resamplers.map { $0.finish() }), info: info,
            completeness: rows.completeness, warnings: rows.warnings, firstWarning: rows.firstWarning,
            colorWarning: color.warning, exif: spec.readsMetadata ? exif() : nil
        ).holding(share)
    }
}
