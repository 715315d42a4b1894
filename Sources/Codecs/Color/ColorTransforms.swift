internal import SpyglassThreads

/// Finds out what to do about the profile of a picture, and remembers it for the next ones: the pictures of a batch have a
/// handful of profiles among them.
///
/// Any number of threads may use one. Two that meet a new profile at the same time both make its transform.
final class ColorTransforms: Sendable {
    /// Those of the machine's lcms2.
    static let shared = ColorTransforms(by: LCMSLibrary.usual)

    private struct Answer {
        let profile: [UInt8]
        let colors: PictureColors
        let conversion: ColorConversion
    }

    /// Opened, or not, when the first profile comes that is not sRGB.
    private let library: @Sendable () -> Result<LCMSLibrary, LCMSLibrary.Missing>
    /// The last answers, the newest first.
    private let answers = Mutex<[Answer]>([])

    /// Profiles that are remembered: 32 MiB if all of them are as large as can be.
    private static let maxAnswers = 8

    init(by library: @autoclosure @escaping @Sendable () -> Result<LCMSLibrary, LCMSLibrary.Missing>) {
        self.library = library
    }

    /// What to do about the profile of a picture of such colours.
    ///
    /// Costs a comparison with the remembered ones, else a look at the profile (10 µs), else its transform.
    func conversion(of embedded: EmbeddedProfile, for colors: PictureColors) -> ColorConversion {
        switch embedded {
        case .none: return .none
        case .unusable(let reason): return .refused(nil, reason)
        case .bytes(let bytes):
            if let known = remembered(bytes, colors) { return known }
            let conversion = Self.conversion(of: bytes, for: colors, by: library)
            remember(Answer(profile: bytes, colors: colors, conversion: conversion))
            return conversion
        }
    }

    private static func conversion(
        of bytes: [UInt8], for colors: PictureColors, by library: () -> Result<LCMSLibrary, LCMSLibrary.Missing>
    ) -> ColorConversion {
        var name: String?
        do throws(ColorProfile.Flaw) {
            let profile = try ColorProfile(bytes)
            // Grey in the space of sRGB is what grey counts as.
            if colors != .cmyk(isInverted: true), colors != .cmyk(isInverted: false), profile.isSRGB { return .none }
            name = profile.description
            guard profile.space == colors.space else {
                let (one, other) = (profile.space.rawValue, colors.space.rawValue)
                throw ColorProfile.Flaw(reason: "it is for \(one) and the picture is \(other)")
            }
            switch library() {
            case .success(let library):
                return ColorConversion(transform: try ColorTransform(profile, for: colors, by: library))
            case .failure(let missing): throw ColorProfile.Flaw(reason: missing.advice)
            }
        } catch {
            return .refused(name, error.reason)
        }
    }

    // MARK: Memory

    private func remembered(_ bytes: [UInt8], _ colors: PictureColors) -> ColorConversion? {
        answers.withLock { answers in
            guard let at = answers.firstIndex(where: { $0.colors == colors && $0.profile == bytes }) else { return nil }
            let answer = answers[at]
            if at > 0 {
                answers.remove(at: at)
                answers.insert(answer, at: 0)
            }
            return answer.conversion
        }
    }

    private func remember(_ answer: Answer) {
        // What leaves is freed outside the lock.
        let dropped = answers.withLock { answers in
            answers.insert(answer, at: 0)
            return answers.count > Self.maxAnswers ? answers.removeLast() : nil
        }
        _ = dropped
    }
}
