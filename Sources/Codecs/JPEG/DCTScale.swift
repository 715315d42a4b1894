internal import SpyglassPixels

/// The size of a JPEG after the inverse DCT, in eighths: almost free, but averages gamma-encoded values, which darkens stars.
struct DCTScale: Equatable {
    /// 8, 4, 2 or 1.
    let eighths: Int
    let fancyUpsampling: Bool

    static let full = DCTScale(eighths: 8, fancyUpsampling: true)

    /// The minimum ratio left to the resampler.
    ///
    /// From 8 on, the PSNR is 53 dB; below, 39 dB and less. (25 NASA photographs, compared with a full decode
    /// averaged in linear light.)
    private static let minLeft = 8.0
    /// For thumbnails: at 24 columns the worst error of 86 photographs is 30 dB below full range with 8, 40 dB with 16.
    private static let minLeftForThumbnails = 16.0
    /// The minimum after 1/2 for Lanczos: SSIM to the full decode is 0.994 (18 photographs, table in `Benchmarks/METHODOLOGY.md`).
    private static let minLeftForLanczos = 1.9
    /// The minimum after 1/4 and 1/8 for Lanczos: SSIM is 0.993 and 0.997; with 1.9 it is 0.990 and 0.988, 0.91 in the worst case.
    private static let minLeftForLanczosInLargeBlocks = 2.9
    private static let thumbnailSide = 48
    /// From this ratio on interpolated chroma is not worth its cost.
    private static let minLeftForPlainChroma = 2.0

    /// For CMYK with a profile, at 0.25 µs a decoded pixel: 12 megapixels at 320 columns take 0.4 s, and 3.3 s with 8.
    static let minLeftForCMYK = 2.0

    static func fitting(
        _ source: PixelSize, to targets: [PixelSize], _ filter: ResampleFilter, leaving left: Double? = nil
    ) -> DCTScale {
        let scales = targets.map { fitting(source, to: $0, filter, leaving: left) }
        return DCTScale(
            eighths: scales.map(\.eighths).max() ?? 1, fancyUpsampling: scales.contains { $0.fancyUpsampling })
    }

    /// Returns the cheapest scale that suits a target, or leaves the chosen ratio.
    static func fitting(
        _ source: PixelSize, to target: PixelSize, _ filter: ResampleFilter = .area, leaving chosen: Double? = nil
    ) -> DCTScale {
        let ratio = min(Double(source.width) / Double(target.width), Double(source.height) / Double(target.height))
        let isThumbnail = max(target.width, target.height) <= thumbnailSide
        let eighths =
            [1, 2, 4].first { eighths in
                let minLeft =
                    switch filter {
                    case .area: isThumbnail ? minLeftForThumbnails : Self.minLeft
                    case .lanczos: eighths == 4 ? minLeftForLanczos : minLeftForLanczosInLargeBlocks
                    }
                return ratio * Double(eighths) / 8 >= chosen ?? minLeft
            } ?? 8
        return DCTScale(eighths: eighths, fancyUpsampling: ratio * Double(eighths) / 8 < minLeftForPlainChroma)
    }
}
