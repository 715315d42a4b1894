internal import SpyglassCodecs
internal import SpyglassPixels

/// Decoding, beside the C library called plainly, which shows how much we add.
///
/// Megapixels are those of the file. At full size nothing is left to resample; at a reduced DCT scale the picture is brought to the size
/// for which that scale is chosen, by Lanczos as exports are, which the plain library does not do.
struct DecodeBench {
    let figures: [Figure]

    /// What is decoded, and how.
    private struct Case {
        let name: String
        let kind: SampleFile.Kind
        /// The DCT scale.
        var eighths = 8
        /// How many times smaller the target is; 1 leaves the size as it is.
        var ratio = 1
    }

    /// The ratios are those from which on Lanczos gets by with the scale, and not with the next smaller one.
    private static let cases = [
        Case(name: "jpeg.full", kind: .jpeg),
        Case(name: "jpeg.half", kind: .jpeg, eighths: 4, ratio: 4),
        Case(name: "jpeg.quarter", kind: .jpeg, eighths: 2, ratio: 12),
        Case(name: "jpeg.eighth", kind: .jpeg, eighths: 1, ratio: 24),
        Case(name: "jpeg.progressive", kind: .progressiveJPEG),
        Case(name: "png.8bit", kind: .png8),
        Case(name: "png.16bit", kind: .png16),
        Case(name: "png.interlaced", kind: .interlacedPNG),
    ]

    /// Width and height are multiples of every ratio.
    static let size = PixelSize(width: 960, height: 720)
    private static let count = 3

    init(_ given: [SampleFile]?, scale: Double) throws(BenchError) {
        var samples: [SampleFile.Kind: [SampleFile]] = [:]
        for kind in SampleFile.Kind.allCases {
            samples[kind] =
                if let given { given.filter { $0.kind == kind } } else {
                    try SampleFile.made(kind, Self.size.scaled(by: scale), count: Self.count)
                }
        }
        figures = Self.cases.compactMap { one in
            guard let files = samples[one.kind], !files.isEmpty else { return nil }
            return Self.figure(one, files)
        }
    }

    private static func figure(_ one: Case, _ files: [SampleFile]) -> Figure {
        let pixels = files.reduce(0) { $0 + $1.size.pixelCount }
        let library = one.name.hasPrefix("jpeg") ? "libjpeg" : "libpng"
        return .timed("decode.\(one.name)", .megapixelsPerSecond, beside: library) {
            // A kind of picture that the plain call cannot read (of inks) is measured alone.
            let canBePlain = files.allSatisfy { PlainLibrary.decode($0, eighths: one.eighths) }
            let ours = Work(of: pixels) {
                for file in files { keep(try decode(file, ratio: one.ratio)) }
            }
            let plain = Work(of: pixels) {
                for file in files { keep(PlainLibrary.decode(file, eighths: one.eighths)) }
            }
            return (ours, canBePlain ? plain : nil)
        }
    }

    /// A picture at its own size, or so many times smaller.
    static func decode(_ file: SampleFile, ratio: Int) throws(DecodeError) -> PixelBuffer {
        let decoder = ImageDecoder(limits: file.limits)
        guard ratio > 1 else {
            return try decoder.decode(.bytes(file.bytes), to: .original, isCancelled: { false }).pixels
        }
        let box = PixelSize(width: max(file.size.width / ratio, 1), height: max(file.size.height / ratio, 1))
        let target = TargetSize(box: box)
        return try decoder.decode(
            .bytes(file.bytes), to: [target], filter: .lanczos, isCancelled: { false }
        ).pictures[0]
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
