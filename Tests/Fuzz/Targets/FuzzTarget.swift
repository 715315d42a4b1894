import SpyglassCodecs

/// A parser or decoder of hostile bytes, with the promises that its check makes sure of.
///
/// A broken promise, and a trap of the code itself, ends the process. Driven by libFuzzer (`Tests/Fuzz/run`), and with the
/// kept corpus by a test.
enum FuzzTarget: String, CaseIterable {
    case jpeg, png, gif, apng, bmp, adam7, metadata, profile, answers, text, cache, input, manifest, archive, worker
    case webp, tiff, heif, qoi, fits, pnm, ico

    enum Check {
        case now(([UInt8]) -> Void)
        /// Frees memory on other threads, perhaps later: leaks are not found.
        case later(@Sendable ([UInt8]) async -> Void)
    }

    var check: Check {
        switch self {
        case .jpeg: .now(JPEGTarget.run)
        case .png: .now(PNGTarget.run)
        case .gif: .now(FrameTargets.gif)
        case .apng: .now(FrameTargets.apng)
        case .bmp: .now(FrameTargets.bmp)
        case .adam7: .now(Adam7Target.run)
        case .metadata: .now(MetadataTarget.run)
        case .profile: .now(ProfileTarget.run)
        case .answers: .later(AnswersTarget.run)
        case .text: .now(TextTarget.run)
        case .cache: .now(CacheEntryTarget.shared.run)
        case .input: .now(InputTarget.run)
        case .manifest: .later(ManifestTarget.run)
        case .archive: .now(ArchiveTarget.run)
        case .worker: .now(WorkerTarget.run)
        case .webp: .now(FrameTargets.webp)
        case .tiff: .now(FrameTargets.tiff)
        case .heif: .now(FrameTargets.heif)
        case .qoi: .now(FrameTargets.qoi)
        case .fits: .now(FrameTargets.fits)
        case .pnm: .now(FrameTargets.pnm)
        case .ico: .now(FrameTargets.ico)
        }
    }

    /// The libraries that it needs, which may be missing.
    var library: WorkerLibrary? { WorkerLibrary(rawValue: rawValue) }
}
