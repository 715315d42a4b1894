internal import SpyglassCodecs
internal import SpyglassPixels

/// Resampling alone, compared with copying the same bytes; and whole thumbnails, from file to file.
///
/// The source is larger than last-level caches.
struct ResizeBench {
    let benchmarks: [Benchmark]

    /// The factors by which each side shrinks: for a preview in a list, and for a photograph.
    private static let ratios = [4, 8]
    private static let thumbnailBox = PixelSize(width: 160, height: 160)
    private static let thumbnailSource = PixelSize(width: 640, height: 480)
    private static let thumbnailCount = 8
    private static let quality = 82
    /// 64 MiB at scale 1, three bytes a pixel.
    static let sourceSize = PixelSize(width: 5461, height: 4095)

    init(_ given: [SampleFile]?, scale: Double) {
        let size = Self.sourceSize.scaled(by: scale)
        let resampling = ResampleFilter.allCases.flatMap { filter in
            Self.ratios.map { Self.benchmark(filter, size, ratio: $0) }
        }
        benchmarks =
            resampling + [
                Self.thumbnails { () throws(BenchError) in
                    if let given { return given }
                    let size = Self.thumbnailSource.scaled(by: scale)
                    return try SampleFile.made(.jpeg, size, count: Self.thumbnailCount)
                }
            ]
    }

    private static func benchmark(_ filter: ResampleFilter, _ from: PixelSize, ratio: Int) -> Benchmark {
        .timed("resize.\(filter.rawValue).by\(ratio)", .megapixelsPerSecond, reference: "memcpy") {
            let to = from.scaled(by: 1 / Double(ratio))
            let source = tiled(from)
            var copy = [UInt8](repeating: 0, count: source.count)
            let ours = Workload(of: from.pixelCount) { blackHole(resampled(source, filter, from, to)) }
            let reference = Workload(of: from.pixelCount) {
                copy.withUnsafeMutableBytes { copy in source.withUnsafeBytes { copy.copyMemory(from: $0) } }
                blackHole(copy)
            }
            return (ours, reference)
        }
    }

    /// Repeats a generated image of some rows, which costs less than a whole one.
    private static func tiled(_ size: PixelSize) -> [UInt8] {
        let tile = SampleImage(PixelSize(width: size.width, height: 192), seed: 1).pixels().rgbBytes
        let count = size.pixelCount * RowLayout.rgb.channels
        return Array(repeatElement(tile, count: count / tile.count + 1).joined().prefix(count))
    }

    private static func resampled(
        _ source: [UInt8], _ filter: ResampleFilter, _ from: PixelSize, _ to: PixelSize
    ) -> PixelBuffer {
        let resampler = RowResampler(filter, from: from, part: PixelArea(of: from), to: to, layout: .rgb)
        let stride = from.width * RowLayout.rgb.channels
        for y in 0..<from.height { resampler.add(source.span.extracting(y * stride..<(y + 1) * stride)) }
        return resampler.finish()
    }

    private static func thumbnails(of files: @escaping () throws(BenchError) -> [SampleFile]) -> Benchmark {
        .timed("resize.thumbnail.\(thumbnailBox.width)", .imagesPerSecond) {
            let files = try files()
            return (Workload(of: files.count) { for file in files { blackHole(try thumbnail(of: file)) } }, nil)
        }
    }

    private static func thumbnail(of file: SampleFile) throws -> [UInt8] {
        let images = try ImageDecoder(limits: file.limits).decode(
            .bytes(file.bytes), to: [TargetSize(box: thumbnailBox)], filter: .lanczos)
        return try ImageEncoder(.jpeg(.init(quality: quality))).encode(images.buffers[0])
    }
}
