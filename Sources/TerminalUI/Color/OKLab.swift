internal import Glibc

/// A colour in Björn Ottosson's OKLab, scaled so that equal distances look about equally different.
struct OKLab {
    /// How the eye's cones respond to light.
    enum Response {
        /// As OKLab defines it.
        case cubeRoot
        /// Dark colours differ less than in OKLab.
        case squareRoot
    }

    /// OKLab underrates hue and chroma: doubled, as in Color.js' deltaEOK2, a dark sea stays blue instead of grey.
    private static let chroma: Float = 2
    let lightness: Float
    let greenRed: Float
    let blueYellow: Float

    /// The matrices of "A perceptual color space for image processing" (2020), revised form.
    init(_ rgb: SIMD4<Float>, _ response: Response) {
        let cones = SIMD3(
            0.412_221_470_8 * rgb.x + 0.536_332_536_3 * rgb.y + 0.051_445_992_9 * rgb.z,
            0.211_903_498_2 * rgb.x + 0.680_699_545_1 * rgb.y + 0.107_396_956_6 * rgb.z,
            0.088_302_461_9 * rgb.x + 0.281_718_837_6 * rgb.y + 0.629_978_700_5 * rgb.z)
        let (l, m, s) =
            switch response {
            case .cubeRoot: (cbrtf(cones.x), cbrtf(cones.y), cbrtf(cones.z))
            case .squareRoot: (cones.x.squareRoot(), cones.y.squareRoot(), cones.z.squareRoot())
            }
        lightness = 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s
        greenRed = Self.chroma * (1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s)
        blueYellow = Self.chroma * (0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s)
    }
}
