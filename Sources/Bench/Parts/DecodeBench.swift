internal import SpyglassCodecs
internal import SpyglassPixels

/// Decoding, compared with the C library called directly; megapixels are those of the file.
///
/// `*.finished` are given files of which direct decoding gives other pixels; they have no reference.
struct DecodeBench {
    let benchmarks: [Benchmark]

    private struct Case {
        let name: String
        let kind: SampleFile.Kind
        /// The reduction by Lanczos, and the DCT scale in eighths that it needs.
        var ratio = 1
        var eighths = 8
        /// Draws every frame on the canvas, and gives none out.
        var drawsFrames = false
    }

    /// Each ratio is the smallest for which Lanczos needs no more than the scale.
    private static let cases =
        [
            Case(name: "jpeg.full", kind: .jpeg),
            Case(name: "jpeg.half.lanczos", kind: .jpeg, ratio: 4, eighths: 4),
            Case(name: "jpeg.quarter.lanczos", kind: .jpeg, ratio: 12, eighths: 2),
            Case(name: "jpeg.eighth.lanczos", kind: .jpeg, ratio: 24, eighths: 1),
            Case(name: "jpeg.progressive", kind: .progressiveJPEG),
            Case(name: "jpeg.inks", kind: .cmykJPEG),
            Case(name: "png.8bit", kind: .png8),
            Case(name: "png.16bit", kind: .png16),
            Case(name: "png.interlaced", kind: .interlacedPNG),
        ]
        + [SampleFile.Kind.gif, .bmp, .webp, .avif, .heif, .tiff, .qoi, .fits, .pnm, .ico, .jxl, .raw].map {
            Case(name: $0.rawValue, kind: $0)
        }
        + [Case(name: "gif.frames", kind: .gif, drawsFrames: true)]

    private static let size = PixelSize(width: 960, height: 720)
    private static let count = 3

    init(_ given: [SampleFile]?, scale: Double) {
        guard let given else {
            benchmarks = Self.cases.filter { SampleFile.Kind.made.contains($0.kind) }.map { entry in
                Self.benchmark(entry.name, entry) { () throws(BenchError) in
                    try SampleFile.made(entry.kind, Self.size.scaled(by: scale), count: Self.count)
                }
            }
            return
        }
        let files = Dictionary(grouping: given, by: \.kind)
        benchmarks = Self.cases.flatMap { entry in
            let chosen = (files[entry.kind] ?? []).filter { !entry.drawsFrames || $0.frameCount > 1 }
            let groups = Dictionary(grouping: chosen) { !entry.kind.hasReference || $0.matchesCLibrary }
            return [(entry.name, groups[true]), ("\(entry.name).finished", groups[false])].compactMap { name, files in
                files.map { files in Self.benchmark(name, entry) { files } }
            }
        }
    }

    private static func benchmark(
        _ name: String, _ entry: Case, of files: @escaping () throws(BenchError) -> [SampleFile]
    ) -> Benchmark {
        .timed("decode.\(name)", .megapixelsPerSecond, reference: entry.kind.library) {
            let files = try files()
            func frames(_ file: SampleFile) -> Int { entry.drawsFrames ? file.frameCount : 1 }
            let pixels = files.reduce(0) { $0 + $1.size.pixelCount * frames($1) }
            let ours = Workload(of: pixels) {
                for file in files {
                    if entry.drawsFrames {
                        try drawFrames(of: file)
                    } else {
                        blackHole(try decode(file, ratio: entry.ratio))
                    }
                }
            }
            guard files.allSatisfy(\.matchesCLibrary) else { return (ours, nil) }
            let reference = Workload(of: pixels) {
                for file in files { try CLibrary.decode(file, eighths: entry.eighths, frames: frames(file)) }
            }
            return (ours, reference)
        }
    }

    private static func drawFrames(of file: SampleFile) throws(CodecError) {
        guard let animation = try SampleFile.animation(file.bytes, file.limits) else { return }
        while try animation.skip() != nil {}
    }

    static func decode(_ file: SampleFile, ratio: Int = 1) throws(CodecError) -> PixelBuffer {
        let decoder = ImageDecoder(limits: file.limits, workers: .inProcess)
        guard ratio > 1 else { return try decoder.decode(.bytes(file.bytes), to: .original).pixels }
        let box = PixelSize(width: file.size.width / ratio, height: file.size.height / ratio)
        return try decoder.decode(.bytes(file.bytes), to: [TargetSize(box: box)], filter: .lanczos).pixels
    }
}

extension PixelSize {
    func scaled(by factor: Double) -> PixelSize {
        PixelSize(
            width: Int((Double(width) * factor).rounded()), height: Int((Double(height) * factor).rounded()))
    }
}
