internal import SpyglassCodecs
internal import SpyglassPixels

/// Decoding, beside the C library called plainly, which shows how much we add.
///
/// Megapixels are those of the file.
///
/// - At full size both give the same pixels: `jpeg.full`, `jpeg.progressive`, `png.*`.
/// - `jpeg.half`, `jpeg.quarter`, `jpeg.eighth` are the inverse DCT alone, at a reduced DCT scale, with nothing left to the resampler
///   but to pass it on. No command decodes so: what they do is `jpeg.*.lanczos`. The pixels are the same again where both sides are
///   multiples of 2, 4 or 8; where they are not, the scaled size is rounded up, and the resampler brings the whole picture to it
///   through linear light.
/// - `jpeg.*.lanczos` is what exports pay at that scale: Lanczos brings the picture on to the size for which the scale is chosen. The
///   plain library does not do that, and the ratio holds it too.
/// - `*.finished` is of files that are given and come out of the plain call otherwise, which is tried with each: those that EXIF
///   turns, whose colours are converted, with wholly transparent pixels, or whose sides a DCT scale does not divide. They have nobody
///   beside them.
/// - `jpeg.inks` (CMYK, YCCK) has nobody beside it: libjpeg makes no other colours of inks. Only files that are given have them.
struct DecodeBench {
    let benchmarks: [Benchmark]

    /// What of a file is decoded, and at which size.
    enum Job: Hashable {
        case full
        /// At a DCT scale in eighths, as it comes out.
        case scaled(eighths: Int)
        /// So many times smaller, by Lanczos, which is content with a DCT scale in eighths.
        case lanczos(ratio: Int, eighths: Int)

        /// The DCT scale.
        var eighths: Int {
            switch self {
            case .full: 8
            case .scaled(let eighths), .lanczos(_, let eighths): eighths
            }
        }

        /// Whether the plain library does the same, but for resampling where the figure's name says it.
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

    /// The ratios are those from which on Lanczos gets by with the scale, and not with the next smaller one.
    private static let cases = [
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
    ]

    /// Width and height are multiples of every ratio.
    static let size = PixelSize(width: 960, height: 720)
    private static let count = 3
    /// What a DCT scale must leave where it is all that is wanted: 1, less what the rounding of sides takes away, and more than the
    /// next smaller scale has.
    private static let nothingLeft = 0.75

    /// The figures; samples are made when they are taken.
    ///
    /// - Parameters:
    ///   - given: what is decoded; `nil` for samples.
    ///   - scale: the sides of samples as a share of their usual ones.
    ///   - making: makes samples.
    init(_ given: [SampleFile]?, scale: Double, making: @escaping SampleFile.Maker = SampleFile.made) {
        guard let given else {
            let size = Self.size.scaled(by: scale)
            benchmarks = Self.cases.filter { SampleFile.Kind.made.contains($0.kind) }.map { one in
                Self.benchmark(one.name, one) { () throws(BenchError) in try making(one.kind, size, Self.count) }
            }
            return
        }
        let files = Dictionary(grouping: given, by: \.kind)
        benchmarks = Self.cases.flatMap { one in
            let groups = Dictionary(grouping: files[one.kind] ?? []) {
                one.kind == .cmykJPEG || one.job.matchesCLibrary(for: $0)
            }
            return [(one.name, groups[true]), ("\(one.name).finished", groups[false])].compactMap { name, files in
                files.map { files in Self.benchmark(name, one) { files } }
            }
        }
    }

    private static func benchmark(
        _ name: String, _ one: Case, of files: @escaping () throws(BenchError) -> [SampleFile]
    ) -> Benchmark {
        .timed("decode.\(name)", .megapixelsPerSecond, reference: one.kind.library) {
            let files = try files()
            let pixels = files.reduce(0) { $0 + $1.size.pixelCount }
            let ours = Workload(of: pixels) {
                for file in files { blackHole(try decode(file, one.job)) }
            }
            guard files.allSatisfy(one.job.matchesCLibrary(for:)) else { return (ours, nil) }
            let plain = Workload(of: pixels) {
                for file in files { try CLibrary.decode(file, eighths: one.job.eighths) }
            }
            return (ours, plain)
        }
    }

    /// The picture of a file.
    static func decode(_ file: SampleFile, _ job: Job = .full) throws(CodecError) -> PixelBuffer {
        let decoder = ImageDecoder(limits: file.limits)
        switch job {
        case .full:
            return try decoder.decode(.bytes(file.bytes), to: .original, isCancelled: { false }).pixels
        case .scaled(let eighths):
            // libjpeg's own rounding (jdmaster.c).
            let size = PixelSize(
                width: (file.size.width * eighths + 7) / 8, height: (file.size.height * eighths + 7) / 8)
            return try decoder.decode(.bytes(file.bytes), to: TargetSize(box: size, fit: .fill), leaving: nothingLeft)
        case .lanczos(let ratio, _):
            let box = PixelSize(width: max(file.size.width / ratio, 1), height: max(file.size.height / ratio, 1))
            return try decoder.decode(
                .bytes(file.bytes), to: [TargetSize(box: box)], filter: .lanczos, isCancelled: { false }
            ).pixels
        }
    }
}

extension PixelSize {
    /// Both sides times a factor, at least one pixel each.
    func scaled(by factor: Double) -> PixelSize {
        PixelSize(
            width: max(Int((Double(width) * factor).rounded()), 1),
            height: max(Int((Double(height) * factor).rounded()), 1))
    }
}
