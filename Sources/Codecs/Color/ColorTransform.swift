internal import SpyglassCLCMS
internal import SpyglassPixels
internal import SpyglassThreads

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
        (self.library, self.handle) = (library, handle)
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

/// How to convert an image's colours: not at all, by a transform, or not for a reason.
struct ColorConversion: Sendable {
    /// No conversion: sRGB, or CMYK without a profile.
    static let none = ColorConversion()

    var transform: ColorTransform?
    /// Why a profile is not applied, in one line.
    var warning: String?
    /// The profile of pixels that keep its colours.
    var kept: [UInt8]?

    static func refused(_ name: String? = nil, _ reason: String) -> ColorConversion {
        let name = name.map { " '\($0)'" } ?? ""
        return ColorConversion(warning: "the colour profile\(name) was not applied: \(reason)")
    }

    /// For grey or RGB, after resampling, which costs less but is a step or two of 255 off, outside sRGB up to twenty.
    func converted(_ image: PixelBuffer) -> PixelBuffer { transform?.convert(image) ?? image }

    /// Returns the upright image in sRGB: the last step of every decoder.
    func finished(_ stored: PixelBuffer, of info: ImageInfo) -> PixelBuffer {
        converted(stored).oriented(info.orientation)
    }
}

enum EmbeddedProfile: Equatable {
    case none
    /// The bytes, not validated, `maxBytes` at most.
    case bytes([UInt8])
    case unusable(String)

    /// The largest profile in use, for newspapers, has 2.6 MB.
    static let maxBytes = 4 << 20
    /// The bytes of a profile that a file can have: for RGB, and with a name, which made-up ones lack.
    func kept(for colors: ImageColors) -> [UInt8]? {
        guard case .bytes(let bytes) = self, colors.space == .rgb, let profile = try? ColorProfile(bytes),
            profile.space == .rgb, profile.tag("desc") != nil
        else { return nil }
        return bytes
    }

    static let tooLarge = EmbeddedProfile.unusable("more than \(maxBytes >> 20) MiB")

    /// Reads a profile that lies in one piece in the file; `nil` is none.
    init(at range: Range<Int>?, in input: ByteReader) {
        self = .none
        guard let range else { return }
        self = .tooLarge
        guard range.count <= Self.maxBytes else { return }
        let bytes = (try? input.bytes(range.count, at: range.lowerBound)) ?? []
        self = bytes.count == range.count ? .bytes(bytes) : .unusable("cut")
    }
}

/// Chooses conversions and caches them; two threads with the same new profile may both make its transform.
final class ColorTransforms: Sendable {
    static let shared = ColorTransforms(by: LCMSLibrary.system)

    private struct Entry {
        let profile: [UInt8]
        let colors: ImageColors
        let conversion: ColorConversion
    }

    private let library: @Sendable () -> Result<LCMSLibrary, CodecError>
    private let entries = Mutex<[Entry]>([])

    /// Up to 32 MiB of profiles.
    private static let maxEntries = 8

    init(by library: @autoclosure @escaping @Sendable () -> Result<LCMSLibrary, CodecError>) { self.library = library }

    /// Costs a comparison with the cached ones, otherwise parsing (10 µs), otherwise a transform.
    func conversion(of embedded: EmbeddedProfile, for colors: ImageColors) -> ColorConversion {
        switch embedded {
        case .none: return .none
        case .unusable(let reason): return .refused(nil, reason)
        case .bytes(let bytes):
            if let known = cached(bytes, colors) { return known }
            let conversion = Self.conversion(of: bytes, for: colors, by: library)
            entries.withLock { entries in
                entries.insert(Entry(profile: bytes, colors: colors, conversion: conversion), at: 0)
                if entries.count > Self.maxEntries { entries.removeLast() }
            }
            return conversion
        }
    }

    private static func conversion(
        of bytes: [UInt8], for colors: ImageColors, by library: () -> Result<LCMSLibrary, CodecError>
    ) -> ColorConversion {
        var name: String?
        do throws(CodecError) {
            let profile = try ColorProfile(bytes)
            // sRGB covers grey too.
            if colors != .cmyk(isInverted: true), colors != .cmyk(isInverted: false), profile.isSRGB { return .none }
            name = profile.description
            guard profile.space == colors.space else {
                let (one, other) = (profile.space.rawValue, colors.space.rawValue)
                throw CodecError(.unsupported, "for \(one), but the image is \(other)")
            }
            return ColorConversion(transform: try ColorTransform(profile, for: colors, by: library().get()))
        } catch {
            return .refused(name, error.description)
        }
    }

    private func cached(_ bytes: [UInt8], _ colors: ImageColors) -> ColorConversion? {
        entries.withLock { entries in
            guard let at = entries.firstIndex(where: { $0.colors == colors && $0.profile == bytes }) else { return nil }
            entries.insert(entries.remove(at: at), at: 0)
            return entries[0].conversion
        }
    }
}
