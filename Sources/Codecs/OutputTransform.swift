internal import SpyglassPixels

/// The last step of every decoder.
struct OutputTransform {
    let info: ImageInfo
    /// The pending colour conversion.
    let color: ColorConversion

    /// Returns the resamplers' images upright and in sRGB.
    func images(_ stored: [PixelBuffer]) -> [PixelBuffer] {
        stored.map { color.converted($0).oriented(info.orientation) }
    }
}
