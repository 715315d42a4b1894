/// A parser or decoder of hostile bytes, with the promises that `run` checks.
///
/// A broken promise, and a trap of the code itself, ends the process. Driven by libFuzzer (`Tests/Fuzz/run`), and with the kept corpus by
/// a test.
enum FuzzTarget: String, CaseIterable {
    case jpeg, png, adam7, metadata, profile, answers, text, cache, input, manifest, archive

    func run(_ bytes: [UInt8]) async {
        switch self {
        case .jpeg: JPEGTarget.run(bytes)
        case .png: PNGTarget.run(bytes)
        case .adam7: Adam7Target.run(bytes)
        case .metadata: MetadataTarget.run(bytes)
        case .profile: ProfileTarget.run(bytes)
        case .answers: await AnswersTarget.run(bytes)
        case .text: TextTarget.run(bytes)
        case .cache: CacheEntryTarget.shared.run(bytes)
        case .input: InputTarget.run(bytes)
        case .manifest: await ManifestTarget.run(bytes)
        case .archive: ArchiveTarget.run(bytes)
        }
    }
}
