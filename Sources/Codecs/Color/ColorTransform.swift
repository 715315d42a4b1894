internal import SpyglassCLCMS
internal import SpyglassPixels

/// The colours of an image before conversion to sRGB.
enum ImageColors: Hashable {
    case gray
    case rgb
    /// `isInverted`: 255 means no ink, as Adobe stores it.
    case cmyk(isInverted: Bool)

    var space: ColorProfile.Space {
        switch self {
        case .gray: .gray
        case .rgb: .rgb
        case .cmyk: .cmyk
        }
    }

    fileprivate var code: sg_colors {
        switch self {
        case .gray: SG_COLORS_GRAY_RGBA
        case .rgb: SG_COLORS_RGBA
        case .cmyk(isInverted: true): SG_COLORS_CMYK_INVERTED
        case .cmyk(isInverted: false): SG_COLORS_CMYK
        }
    }
}

/// A transform from a profile to sRGB by lcms2 (`cmsDoTransform`), in eight bits.
///
/// `@unchecked Sendable`: lcms2's transforms are thread-safe with `cmsFLAGS_NOCACHE`, and nothing changes before `deinit`.
final class ColorTransform: @unchecked Sendable {
    private let library: LCMSLibrary
    private let handle: OpaquePointer

    /// The largest table of a profile within `EmbeddedProfile.maxBytes`, or grid of the library.
    private static let maxAllocation = 4 * EmbeddedProfile.maxBytes

    /// Takes 0.1 s for a CMYK table, which maps colours outside sRGB (perceptual); else they are clipped (relative colorimetric).
    init(_ profile: ColorProfile, for colors: ImageColors, by library: LCMSLibrary) throws(CodecError) {
        let bytes = profile.bytesWithoutFloatTables
        var message = [CChar](repeating: 0, count: 256)
        guard
            let handle = sg_transform_create(
                library.functions, bytes, bytes.count, colors.code, profile.hasTable, Self.maxAllocation, &message,
                message.count)
        else { throw CodecError(.library, "lcms2: " + String(libraryMessage: message)) }
        self.library = library
        self.handle = handle
    }

    deinit { sg_transform_destroy(library.functions, handle) }

    /// Converts an image of grey or RGB; keeps alpha, and zeros where it is 0.
    func convert(_ image: PixelBuffer) -> PixelBuffer {
        var bytes = image.bytes
        bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            sg_transform_apply(library.functions, handle, start, start, image.size.pixelCount)
        }
        var pixels = bytes.mutableSpan
        for at in stride(from: 0, to: pixels.count, by: PixelBuffer.bytesPerPixel) where pixels[at + 3] == 0 {
            for channel in 0..<3 { pixels[at + channel] = 0 }
        }
        return PixelBuffer(size: image.size, bytes: bytes)
    }

    func convert(_ cmyk: Span<UInt8>, pixels: Int, into rgb: inout [UInt8]) {
        precondition(cmyk.count >= pixels * CMYK.bytesIn && rgb.count >= pixels * CMYK.bytesOut)
        cmyk.withUnsafeBytes { cmyk in
            rgb.withUnsafeMutableBytes { rgb in
                guard let from = cmyk.baseAddress, let to = rgb.baseAddress else { return }
                sg_transform_apply(library.functions, handle, from, to, pixels)
            }
        }
    }
}

/// Little CMS, opened at run time, when an image needs it.
///
/// `@unchecked Sendable`: the function table is only written before `sg_lcms_open` returns.
struct LCMSLibrary: @unchecked Sendable {
    let functions: OpaquePointer

    static let system: Result<LCMSLibrary, CodecError> = Self.open("liblcms2.so.2")

    static func open(_ name: String) -> Result<LCMSLibrary, CodecError> {
        var message = [CChar](repeating: 0, count: 256)
        if let functions = sg_lcms_open(name, &message, message.count) {
            return .success(LCMSLibrary(functions: functions))
        }
        return .failure(CodecError(.library, "\(name) is missing (Debian: liblcms2-2)"))
    }

    /// Its version (`cmsGetEncodedCMMversion`): `2.14`.
    var version: String {
        let version = Int(sg_lcms_version(functions))
        guard version > 0 else { return "2" }
        let (major, rest) = version.quotientAndRemainder(dividingBy: 1000)
        let (minor, patch) = rest.quotientAndRemainder(dividingBy: 10)
        return "\(major).\(minor)" + (patch > 0 ? ".\(patch)" : "")
    }
}
