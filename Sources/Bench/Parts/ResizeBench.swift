internal import SpyglassCodecs
internal import SpyglassPixels

/// Resampling alone, compared with copying the same bytes; and whole thumbnails, from file to file.
///
/// The source has 64 MiB, more than most last-level caches, so that the copy runs at the speed of memory.
struct ResizeBench {
    let benchmarks: [Benchmark]

    /// The factors by which each side shrinks: for a preview in a list, and for a photograph.
    private static let ratios = [4, 8]
    private static let thumbnailBox = PixelSize(width: 160, height: 160)
    private static let thumbnailSource = PixelSize(width: 640, height: 480)
    private static let thumbnailCount = 8
    private static let quality = 82
    /// Bytes of the source at scale 1, three for each pixel.
    private static let sourceBytes = 64 << 20
    static let sourceSize = size(of: sourceBytes)

    init(_ given: [SampleFile]?, scale: Double, making: @escaping SampleFile.Maker = SampleFile.made) {
        let size = Self.sourceSize.scaled(by: scale)
        let resampling = ResampleFilter.allCases.flatMap { filter in
            Self.ratios.map { Self.benchmark(filter, size, ratio: $0) }
        }
        benchmarks =
            resampling + [
                Self.thumbnails { () throws(BenchError) in
                    if let given { return given }
                    return try making(.jpeg, Self.thumbnailSource.scaled(by: scale), Self.thumbnailCount)
                }
            ]
    }

    private static func size(of bytes: Int) -> PixelSize {
        let pixels = Double(bytes / RowLayout.rgb.channels)
        return PixelSize(
            width: max(Int((pixels * 4 / 3).squareRoot()), 1), height: max(Int((pixels * 3 / 4).squareRoot()), 1))
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

    private static let tilePixels = 1 << 20

    private static func tiled(_ size: PixelSize) -> [UInt8] {
        let rows = min(max(tilePixels / size.width, 1), size.height)
        let tile = SampleImage(PixelSize(width: size.width, height: rows), seed: 1).pixels().rgbBytes
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size.pixelCount * RowLayout.rgb.channels)
        for top in Swift.stride(from: 0, to: size.height, by: rows) {
            bytes += tile.prefix(min(rows, size.height - top) * size.width * RowLayout.rgb.channels)
        }
        return bytes
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
        let target = TargetSize(box: thumbnailBox)
        let images = try ImageDecoder(limits: file.limits).decode(
            .bytes(file.bytes), to: [target], filter: .lanczos)
        return try ImageEncoder(.jpeg(.init(quality: quality))).encode(images.buffers[0])
    }
}
