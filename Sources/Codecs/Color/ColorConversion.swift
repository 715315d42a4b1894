internal import SpyglassPixels

/// What is done about the colour profile of one picture: nothing, a conversion, or a word why there is none.
struct ColorConversion: Sendable {
    /// Nothing: the colours are sRGB, or CMYK without a profile.
    static let none = ColorConversion()

    /// The way to sRGB.
    var transform: ColorTransform?
    /// Why a profile is not applied, for people, in one line.
    var warning: String?

    /// Word that a profile, of that name if it has one, is not applied.
    static func refused(_ name: String? = nil, _ reason: String) -> ColorConversion {
        let name = name.map { " '\($0)'" } ?? ""
        return ColorConversion(warning: "the colour profile\(name) was not applied: \(reason)")
    }

    /// A picture of grey or RGB in sRGB.
    ///
    /// It is converted after it was resampled, at the size that is wanted and not at its own. Colours were averaged in the light of
    /// sRGB's curve then, to which the curves of other profiles are near: a step or two of 255. Where neighbours are outside of sRGB the
    /// mean is cut off instead of each of them, which may make twenty steps of difference in the channel that is cut.
    func converted(_ picture: PixelBuffer) -> PixelBuffer { transform?.convert(picture) ?? picture }
}
