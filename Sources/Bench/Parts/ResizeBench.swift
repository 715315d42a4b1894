internal import SpyglassCodecs
internal import SpyglassPixels

/// Resampling alone, beside copying the same bytes; and whole thumbnails, from file to file.
struct ResizeBench {
    let figures: [Figure]

    /// From the long side of a photograph to that of what is made of it.
    private struct Case {
        let from: PixelSize
        let to: PixelSize
    }

    private static let cases = [
        Case(from: PixelSize(width: 640, height: 480), to: PixelSize(width: 160, height: 120)),
        Case(from: PixelSize(width: 2400, height: 1800), to: PixelSize(width: 320, height: 240)),
    ]
    private static let thumbnailBox = PixelSize(width: 160, height: 160)
    private static let thumbnailSource = PixelSize(width: 640, height: 480)
    private static let thumbnailCount = 8
    /// The quality that `resize` writes.
    private static let quality = 82

    init(_ given: [SampleFile]?, scale: Double) throws(BenchError) {
        let resampling = ResampleFilter.allCases.flatMap { filter in
            Self.cases.map { Self.figure(filter, $0, scale) }
        }
        figures = resampling + [try Self.thumbnails(given, scale)]
    }

    private static func figure(_ filter: ResampleFilter, _ one: Case, _ scale: Double) -> Figure {
        let name = "resize.\(filter.rawValue).\(one.from.width)-\(one.to.width)"
        return .timed(name, .megapixelsPerSecond, beside: "memcpy") {
            let (from, to) = (one.from.scaled(by: scale), one.to.scaled(by: scale))
            let source = SamplePicture(from, seed: 1).pixels().rgbBytes
            var copy = [UInt8](repeating: 0, count: source.count)
            let ours = Work(of: from.pixelCount) { keep(resampled(source, filter, from, to)) }
            let plain = Work(of: from.pixelCount) {
                copy.withUnsafeMutableBytes { copy in source.withUnsafeBytes { copy.copyMemory(from: $0) } }
                keep(copy)
            }
            return (ours, plain)
        }
    }

    private static func resampled(
        _ source: [UInt8], _ filter: ResampleFilter, _ from: PixelSize, _ to: PixelSize
    ) -> PixelBuffer {
        let resampler = RowResampler(filter, from: from, to: to, layout: .rgb)
        let stride = from.width * RowLayout.rgb.channels
        for y in 0..<from.height { resampler.add(source.span.extracting(y * stride..<(y + 1) * stride)) }
        return resampler.finish()
    }

    private static func thumbnails(_ given: [SampleFile]?, _ scale: Double) throws(BenchError) -> Figure {
        let files: [SampleFile] =
            if let given { given } else {
                try SampleFile.made(.jpeg, thumbnailSource.scaled(by: scale), count: thumbnailCount)
            }
        return .timed("resize.thumbnail.\(thumbnailBox.width)", .imagesPerSecond) {
            (Work(of: files.count) { for file in files { keep(try thumbnail(of: file)) } }, nil)
        }
    }

    private static func thumbnail(of file: SampleFile) throws -> [UInt8] {
        let target = TargetSize(box: thumbnailBox)
        let images = try ImageDecoder(limits: file.limits).decode(
            .bytes(file.bytes), to: [target], filter: .lanczos, isCancelled: { false })
        return try ImageEncoder(.jpeg(.init(quality: quality))).encode(images.pictures[0])
    }
}
