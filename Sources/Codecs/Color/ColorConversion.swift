internal import SpyglassPixels

/// How to convert an image's colours: not at all, by a transform, or not for a reason.
struct ColorConversion: Sendable {
    /// No conversion: sRGB, or CMYK without a profile.
    static let none = ColorConversion()

    /// The transform to sRGB.
    var transform: ColorTransform?
    /// Why a profile is not applied, in one line.
    var warning: String?

    /// A profile, of that name if it has one, that is not applied.
    static func refused(_ name: String? = nil, _ reason: String) -> ColorConversion {
        let name = name.map { " '\($0)'" } ?? ""
        return ColorConversion(warning: "the colour profile\(name) was not applied: \(reason)")
    }

    /// Converts an image of grey or RGB to sRGB.
    ///
    /// After resampling, which costs less. Averaging then assumes sRGB's curve, which differs from others by a step or
    /// two of 255. Near colours outside sRGB the mean is clipped, not its inputs: up to twenty steps in that channel.
    func converted(_ image: PixelBuffer) -> PixelBuffer { transform?.convert(image) ?? image }
}
