internal import SpyglassCLCMS
internal import SpyglassPixels

/// What the colours of a picture are before they are sRGB.
enum PictureColors: Hashable {
    case gray
    case rgb
    /// `isInverted`: 255 is no ink, as Adobe stores it, and not 0.
    case cmyk(isInverted: Bool)

    /// The space that a profile of such a picture must be for.
    var space: ColorProfile.Space {
        switch self {
        case .gray: .gray
        case .rgb: .rgb
        case .cmyk: .cmyk
        }
    }
}

/// The way from the colours of a profile to sRGB, by lcms2 (`cmsDoTransform`), in eight bits.
///
/// `@unchecked Sendable`: lcms2 promises that a transform without its cache of one pixel may be used by any number of threads
/// (`cmsFLAGS_NOCACHE`), and nothing is changed before the last of them lets go.
final class ColorTransform: @unchecked Sendable {
    private let library: LCMSLibrary
    private let handle: OpaquePointer

    /// No table of a profile within `EmbeddedProfile.maxBytes` takes more, nor does a grid of the library's own.
    private static let maxAllocation = 4 * EmbeddedProfile.maxBytes

    /// Makes a transform; a table becomes a grid of the library's own, which takes a tenth of a second for CMYK.
    ///
    /// What does not fit into sRGB is brought there as a table says (perceptual intent), or else cut off (relative colorimetric
    /// intent); black becomes black.
    ///
    /// - Throws: the library's own words.
    init(_ profile: ColorProfile, for colors: PictureColors, by library: LCMSLibrary) throws(ColorProfile.Flaw) {
        let bytes = profile.bytesWithoutFloatTables
        var message = [CChar](repeating: 0, count: 256)
        guard
            let handle = sg_transform_create(
                library.functions, bytes, bytes.count, colors.code, profile.hasTable, Self.maxAllocation, &message,
                message.count)
        else { throw ColorProfile.Flaw(reason: "lcms2: " + String(libraryMessage: message)) }
        self.library = library
        self.handle = handle
    }

    deinit { sg_transform_destroy(library.functions, handle) }

    /// Converts a picture of grey or RGB; alpha stays, and what is transparent stays zero.
    func convert(_ picture: PixelBuffer) -> PixelBuffer {
        var bytes = picture.bytes
        bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            sg_transform_apply(library.functions, handle, start, start, picture.size.pixelCount)
        }
        var pixels = bytes.mutableSpan
        for at in stride(from: 0, to: pixels.count, by: PixelBuffer.bytesPerPixel) where pixels[at + 3] == 0 {
            for channel in 0..<3 { pixels[at + channel] = 0 }
        }
        return PixelBuffer(size: picture.size, bytes: bytes)
    }

    /// Converts `pixels` pixels of CMYK, four bytes each, into RGB, three bytes each.
    func convert(_ inks: Span<UInt8>, pixels: Int, into rgb: inout [UInt8]) {
        precondition(inks.count >= pixels * CMYK.bytesIn && rgb.count >= pixels * CMYK.bytesOut)
        inks.withUnsafeBytes { inks in
            rgb.withUnsafeMutableBytes { rgb in
                guard let from = inks.baseAddress, let to = rgb.baseAddress else { return }
                sg_transform_apply(library.functions, handle, from, to, pixels)
            }
        }
    }
}

extension PictureColors {
    fileprivate var code: sg_colors {
        switch self {
        case .gray: SG_COLORS_GRAY_RGBA
        case .rgb: SG_COLORS_RGBA
        case .cmyk(isInverted: true): SG_COLORS_CMYK_INVERTED
        case .cmyk(isInverted: false): SG_COLORS_CMYK
        }
    }
}
