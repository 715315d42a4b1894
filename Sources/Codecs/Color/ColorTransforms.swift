internal import SpyglassThreads

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
            insert(Entry(profile: bytes, colors: colors, conversion: conversion))
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
            switch library() {
            case .success(let library):
                return ColorConversion(transform: try ColorTransform(profile, for: colors, by: library))
            case .failure(let missing): throw missing
            }
        } catch {
            return .refused(name, error.description)
        }
    }

    private func cached(_ bytes: [UInt8], _ colors: ImageColors) -> ColorConversion? {
        entries.withLock { entries in
            guard let at = entries.firstIndex(where: { $0.colors == colors && $0.profile == bytes }) else { return nil }
            let entry = entries[at]
            if at > 0 {
                entries.remove(at: at)
                entries.insert(entry, at: 0)
            }
            return entry.conversion
        }
    }

    private func insert(_ entry: Entry) {
        // Free the evicted entry outside the lock.
        let dropped = entries.withLock { entries in
            entries.insert(entry, at: 0)
            return entries.count > Self.maxEntries ? entries.removeLast() : nil
        }
        _ = dropped
    }
}
