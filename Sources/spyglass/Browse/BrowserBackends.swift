internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassThreads

/// The stacks of a browser's run, one a source, put together when the source is first chosen.
///
/// They share one memory of pictures and one count of what happened.
final class BrowserBackends: Sendable {
    let statistics: Statistics
    private let settings: Settings
    private let system: SystemServices
    private let console: Console
    private let shared: PipelineStack.Shared
    private let stacks = Mutex<[SourceChoice: PipelineStack]>([:])

    /// Bytes of decoded pictures where no option says otherwise.
    ///
    /// A screen of 240x70 cells, and one on each side, are less than 1 MiB of thumbnails; the rest is what was scrolled by. With 10,000
    /// items the process stays below 80 MiB.
    static let memoryLimit = 32 << 20

    init(_ settings: Settings, _ system: SystemServices, _ console: Console, _ feed: BrowserInbox) {
        self.settings = settings
        self.system = system
        self.console = console
        statistics = Statistics(clock: system.clock)
        shared = PipelineStack.Shared(
            statistics: statistics,
            memory: ImagePipeline.makeMemoryCache(totalCostLimit: settings.memoryLimit ?? Self.memoryLimit),
            onFetch: { feed.receive($0) },
            onPicture: { [statistics] event in
                switch event {
                // The next frame shows it.
                case .decoded, .memoryHit, .thumbnailHit: statistics.printedImage()
                case .failed: statistics.failed()
                default: break
                }
            },
            network: { feed.counting($0) })
    }

    /// What a source needs, by its name.
    ///
    /// - Throws: `Failure` for a name that is none, and when the disk cache is all there is and there is no folder for it.
    func backend(of name: String) throws(Failure) -> BrowserBackend {
        guard let choice = SourceChoice(rawValue: name) else {
            throw .usage(
                "there is no source \(name), only \(Values.alternatives(SourceChoice.allCases.map(\.rawValue)))")
        }
        var settings = settings
        settings.source = choice
        let stack = try stacks.withLock { (stacks) throws(Failure) -> PipelineStack in
            if let stack = stacks[choice] { return stack }
            let stack = try PipelineStack(settings, system, console, sharing: shared)
            stacks[choice] = stack
            return stack
        }
        let download = FileDownload(transport: stack.transport, clock: system.clock)
        return BrowserBackend(
            source: { [settings, system] transport in settings.source(over: transport, system) },
            transport: stack.transport, pipeline: stack.pipeline,
            size: { try await download.size(of: $0, trust: $1) },
            save: { try await download.run($0, trust: $1, to: $2, progress: $3) })
    }

    /// The words of the searches that the archive holds, if one is replayed through this source.
    func archivedSearches(of source: String) async -> [String] {
        _ = try? backend(of: source)
        return await settings.searches(in: archive)
    }

    private var archive: ArchiveTransport? { stacks.withLock { $0.values.lazy.compactMap(\.archive).first } }

    /// What an error means for people.
    func explain(_ error: any Error, _ search: BrowserSearch) async -> BrowserProblem {
        if let error = error as? FetchError, error.kind == .notRecorded {
            let (reason, held) = await settings.absence(search.query, at: search.start, from: archive, error)
            return BrowserProblem(reason, canRetry: false, archiveHolds: held.isEmpty ? nil : held)
        }
        guard let failure = Failure(error) else { return BrowserProblem("the work was cancelled") }
        return BrowserProblem(failure.message, canRetry: failure.code != .usage)
    }

    /// Returns when everything that is worth keeping is on disk.
    func finish() async {
        for stack in stacks.withLock({ Array($0.values) }) { await stack.finish() }
    }
}
