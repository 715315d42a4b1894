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
    private static let leastLeft = 8.0
    /// Where two pixels or more are averaged into one, interpolated chroma is not worth its cost.
    private static let leastLeftForPlainChroma = 2.0

    /// The cheapest scale that is still faithful.
    static func fitting(_ source: PixelSize, to target: PixelSize) -> DCTScale {
        let ratio = min(
            Double(source.width) / Double(target.width), Double(source.height) / Double(target.height))
        let eighths = [1, 2, 4].first { ratio * Double($0) / 8 >= leastLeft } ?? 8
        return DCTScale(eighths: eighths, fancyUpsampling: ratio * Double(eighths) / 8 < leastLeftForPlainChroma)
    }
}
