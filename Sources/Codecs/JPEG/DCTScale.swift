internal import SpyglassPixels

/// At what size the inverse DCT gives out a JPEG, in eighths of its full size.
///
/// Scaling there is almost free but averages gamma-encoded values, which darkens stars on black; the resampler averages light.
struct DCTScale: Equatable {
    /// 8, 4, 2 or 1.
    let eighths: Int
    /// Whether chroma is interpolated rather than repeated when it is brought to the size of luma.
    let fancyUpsampling: Bool

    static let full = DCTScale(eighths: 8, fancyUpsampling: true)

    /// What a DCT scale must leave for the resampler: from 8 times the target on, the error is 53 dB below a picture's range,
    /// below that it is 39 dB and worse (25 NASA photographs against the full decode, averaged in linear light).
    private static let minLeft = 8.0
    /// The same where every pixel counts.
    ///
    /// In 24 columns the error of the worst of 86 small NASA photographs is 30 dB below the range with 8 and 40 dB with 16, the
    /// median 56 and 61 dB. A file of 640 pixels takes 0.6 ms instead of 0.45, one of 4,000 some 6 to 15 % longer.
    private static let minLeftForThumbnails = 16.0
    /// What 1/2 must leave for Lanczos: twice the target, less what the rounding of a target's sides takes away.
    ///
    /// SSIM to the full decoding is then 0.994 on average (18 photographs, table in `Benchmarks/METHODOLOGY.md`).
    private static let minLeftForLanczos = 1.9
    /// What 1/4 and 1/8 must leave, which average more pixels: three times, for 0.993 and 0.997.
    ///
    /// With twice it is 0.990 and 0.988, and
    /// 0.91 at the worst.
    private static let minLeftForLanczosInLargeBlocks = 2.9
    /// The longest side, in pixels, of what is a thumbnail here.
    private static let thumbnailSide = 48
    /// Where two pixels or more are averaged into one, interpolated chroma is not worth its cost.
    private static let minLeftForPlainChroma = 2.0

    /// What it must leave of inks that a profile converts, at 0.25 µs for each pixel that is decoded, ten times as much as without.
    ///
    /// Of a photograph of 12 megapixels in inks the error is 58 dB below the range, in 320 columns and in 160, and a picture of
    /// 320 columns takes 0.4 s; with 8 left it takes 3.3 s.
    static let minLeftForCMYK = 2.0

    /// The cheapest scale that is still faithful to every one of several sizes.
    static func fitting(
        _ source: PixelSize, to targets: [PixelSize], _ filter: ResampleFilter, leaving left: Double? = nil
    ) -> DCTScale {
        let scales = targets.map { fitting(source, to: $0, filter, leaving: left) }
        return DCTScale(
            eighths: scales.map(\.eighths).max() ?? 1, fancyUpsampling: scales.contains { $0.fancyUpsampling })
    }

    /// The cheapest scale that is still faithful, or that leaves the resampler so much.
    static func fitting(
        _ source: PixelSize, to target: PixelSize, _ filter: ResampleFilter = .area, leaving chosen: Double? = nil
    ) -> DCTScale {
        let ratio = min(
            Double(source.width) / Double(target.width), Double(source.height) / Double(target.height))
        let isThumbnail = max(target.width, target.height) <= thumbnailSide
        let eighths =
            [1, 2, 4].first { eighths in
                let least =
                    switch filter {
                    case .area: isThumbnail ? minLeftForThumbnails : minLeft
                    case .lanczos: eighths == 4 ? minLeftForLanczos : minLeftForLanczosInLargeBlocks
                    }
                return ratio * Double(eighths) / 8 >= chosen ?? least
            } ?? 8
        return DCTScale(eighths: eighths, fancyUpsampling: ratio * Double(eighths) / 8 < minLeftForPlainChroma)
    }
}
