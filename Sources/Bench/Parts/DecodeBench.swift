internal import SpyglassCodecs
internal import SpyglassPixels

/// Decoding, compared with the C library called directly; megapixels are those of the file.
///
/// - At full size both give the same pixels: `jpeg.full`, `jpeg.progressive`, `png.*`.
/// - `jpeg.half`, `jpeg.quarter`, `jpeg.eighth`: the inverse DCT at a reduced DCT scale, without resampling. No command decodes so;
///   they use `jpeg.*.lanczos`. The pixels are the same where both sides are multiples of 2, 4 or 8. Elsewhere libjpeg rounds the
///   scaled size up, and the resampler scales the whole image to it.
/// - `jpeg.*.lanczos`: the cost of an export at that scale: Lanczos resamples the scaled image to the target. The reference does
///   not resample, so that the ratio includes it.
/// - `*.finished`: given files whose direct decoding gives other pixels, as tried with each: with an EXIF orientation, a colour
///   profile, wholly transparent pixels, or sides that the DCT scale does not divide. They have no reference.
/// - `jpeg.inks` (CMYK, YCCK): no reference, since libjpeg does not convert CMYK. Only of given files.
/// - `gif.frames`: every frame drawn on the canvas, of given files with several; megapixels are those of all canvases.
/// - `gif`, `bmp`, `webp`, `avif`, `heif`, `tiff`: only of given files, in this process. BMP has no reference; a file that its library
///   refuses, or whose library is missing, counts as `.finished`.
struct DecodeBench {
    let benchmarks: [Benchmark]

    enum Job: Hashable {
        case full
        /// Every frame, drawn on the canvas and not given out.
        case frames
        /// At a DCT scale in eighths, without resampling.
        case scaled(eighths: Int)
        /// Scaled down by a ratio with Lanczos, which then needs a DCT scale in eighths.
        case lanczos(ratio: Int, eighths: Int)

        var eighths: Int {
            switch self {
            case .full, .frames: 8
            case .scaled(let eighths), .lanczos(_, let eighths): eighths
            }
        }

        /// Whether the C library gives the same pixels, apart from `lanczos` resampling.
        func matchesCLibrary(for file: SampleFile) -> Bool {
            guard case .scaled(let eighths) = self else { return file.matchesCLibrary }
            return file.matchesCLibrary && file.size.width * eighths % 8 == 0 && file.size.height * eighths % 8 == 0
        }
    }

    private struct Case {
        let name: String
        let kind: SampleFile.Kind
        var job = Job.full
    }

    /// Each ratio is the smallest for which Lanczos needs no more than the scale.
    private static let cases =
        [
            Case(name: "jpeg.full", kind: .jpeg),
            Case(name: "jpeg.half", kind: .jpeg, job: .scaled(eighths: 4)),
            Case(name: "jpeg.quarter", kind: .jpeg, job: .scaled(eighths: 2)),
            Case(name: "jpeg.eighth", kind: .jpeg, job: .scaled(eighths: 1)),
            Case(name: "jpeg.half.lanczos", kind: .jpeg, job: .lanczos(ratio: 4, eighths: 4)),
            Case(name: "jpeg.quarter.lanczos", kind: .jpeg, job: .lanczos(ratio: 12, eighths: 2)),
            Case(name: "jpeg.eighth.lanczos", kind: .jpeg, job: .lanczos(ratio: 24, eighths: 1)),
            Case(name: "jpeg.progressive", kind: .progressiveJPEG),
            Case(name: "jpeg.inks", kind: .cmykJPEG),
            Case(name: "png.8bit", kind: .png8),
            Case(name: "png.16bit", kind: .png16),
            Case(name: "png.interlaced", kind: .interlacedPNG),
        ] + [SampleFile.Kind.gif, .bmp, .webp, .avif, .heif, .tiff].map { Case(name: $0.rawValue, kind: $0) }
        + [Case(name: "gif.frames", kind: .gif, job: .frames)]

    static let size = PixelSize(width: 960, height: 720)
    private static let count = 3
    /// Chooses exactly the DCT scale of the target: below 1 by the rounding of sides, above the next smaller scale.
    private static let minScaleLeft = 0.75

    init(_ given: [SampleFile]?, scale: Double, making: @escaping SampleFile.Maker = SampleFile.made) {
        guard let given else {
            let size = Self.size.scaled(by: scale)
            benchmarks = Self.cases.filter { SampleFile.Kind.made.contains($0.kind) }.map { entry in
                Self.benchmark(entry.name, entry) { () throws(BenchError) in try making(entry.kind, size, Self.count) }
            }
            return
        }
        let files = Dictionary(grouping: given, by: \.kind)
        benchmarks = Self.cases.flatMap { entry in
            let chosen = (files[entry.kind] ?? []).filter { entry.job != .frames || $0.frameCount > 1 }
            let groups = Dictionary(grouping: chosen) {
                !entry.kind.hasReference || entry.job.matchesCLibrary(for: $0)
            }
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
            func frames(_ file: SampleFile) -> Int { entry.job == .frames ? file.frameCount : 1 }
            let pixels = files.reduce(0) { $0 + $1.size.pixelCount * frames($1) }
            let ours = Workload(of: pixels) {
                for file in files {
                    if entry.job == .frames { try drawFrames(of: file) } else { blackHole(try decode(file, entry.job)) }
                }
            }
            guard files.allSatisfy(entry.job.matchesCLibrary(for:)) else { return (ours, nil) }
            let reference = Workload(of: pixels) {
                for file in files { try CLibrary.decode(file, eighths: entry.job.eighths, frames: frames(file)) }
            }
            return (ours, reference)
        }
    }

    private static func drawFrames(of file: SampleFile) throws(CodecError) {
        guard let animation = try SampleFile.animation(file.bytes, file.limits) else { return }
        while try animation.skip() != nil {}
    }

    static func decode(_ file: SampleFile, _ job: Job = .full) throws(CodecError) -> PixelBuffer {
        let decoder = ImageDecoder(limits: file.limits, workers: .inProcess)
        switch job {
        case .full, .frames: return try decoder.decode(.bytes(file.bytes), to: .original).pixels
        case .scaled(let eighths):
            // libjpeg's own rounding (jdmaster.c).
            let size = PixelSize(
                width: (file.size.width * eighths + 7) / 8, height: (file.size.height * eighths + 7) / 8)
            return try decoder.decode(.bytes(file.bytes), to: TargetSize(box: size, fit: .fill), leaving: minScaleLeft)
        case .lanczos(let ratio, _):
            let box = PixelSize(width: max(file.size.width / ratio, 1), height: max(file.size.height / ratio, 1))
            return try decoder.decode(.bytes(file.bytes), to: [TargetSize(box: box)], filter: .lanczos).pixels
        }
    }
}

extension PixelSize {
    func scaled(by factor: Double) -> PixelSize {
        PixelSize(
            width: max(Int((Double(width) * factor).rounded()), 1),
            height: max(Int((Double(height) * factor).rounded()), 1))
    }
}
