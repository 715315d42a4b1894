internal import SpyglassPixels

/// How to convert an image's colours: not at all, by a transform, or not for a reason.
struct ColorConversion: Sendable {
    /// No conversion: sRGB, or CMYK without a profile.
    static let none = ColorConversion()

    var transform: ColorTransform?
    /// Why a profile is not applied, in one line.
    var warning: String?

    static func refused(_ name: String? = nil, _ reason: String) -> ColorConversion {
        let name = name.map { " '\($0)'" } ?? ""
        return ColorConversion(warning: "the colour profile\(name) was not applied: \(reason)")
    }

    /// For grey or RGB, after resampling, which costs less but is a step or two of 255 off, outside sRGB up to twenty.
    func converted(_ image: PixelBuffer) -> PixelBuffer { transform?.convert(image) ?? image }
}

/// The last step of every decoder.
struct OutputTransform {
    let info: ImageInfo
    let color: ColorConversion

    func images(_ stored: [PixelBuffer]) -> [PixelBuffer] {
        stored.map { color.converted($0).oriented(info.orientation) }
    }
}

enum EmbeddedProfile: Equatable {
    case none
    /// The bytes, not validated, `maxBytes` at most.
    case bytes([UInt8])
    case unusable(String)

    /// The largest profile in use, for newspapers, has 2.6 MB.
    static let maxBytes = 4 << 20
    static let tooLarge = EmbeddedProfile.unusable("more than \(maxBytes >> 20) MiB")

    /// Reads a profile that lies in one piece in the file; `nil` is none.
    init(at range: Range<Int>?, in input: ByteReader) {
        guard let range else {
            self = .none
            return
        }
        let bytes = range.count <= Self.maxBytes ? try? input.bytes(range.count, at: range.lowerBound) : nil
        self =
            range.count > Self.maxBytes
            ? .tooLarge : bytes?.count == range.count ? .bytes(bytes ?? []) : .unusable("cut")
    }
}
