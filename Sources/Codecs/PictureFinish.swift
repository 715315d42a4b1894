internal import SpyglassPixels

/// How pictures leave a decoder: the last step for every format.
struct PictureFinish {
    let info: ImageInfo

    /// The pictures of the resamplers, upright and in sRGB.
    func pictures(_ stored: [PixelBuffer]) -> [PixelBuffer] {
        stored.map { $0.oriented(info.orientation) }
    }
}
