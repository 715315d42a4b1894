internal import SpyglassPixels

/// How pictures leave a decoder: the last step for every format.
struct OutputTransform {
    let info: ImageInfo
    /// What is still to be done about the colours.
    let color: ColorConversion

    /// The pictures of the resamplers, upright and in sRGB.
    func pictures(_ stored: [PixelBuffer]) -> [PixelBuffer] {
        stored.map { color.converted($0).oriented(info.orientation) }
    }
}
