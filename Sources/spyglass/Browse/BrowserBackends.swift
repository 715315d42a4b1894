internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPipeline
internal import SpyglassThreads

/// The pipelines of a browser's run, one a source, each composed when its source is first chosen.
///
/// They share the memory cache and the statistics.
final class BrowserBackends: Sendable {
    let statistics: Statistics
    private let settings: Settings
    private let system: SystemServices
    private let console: Console
    private let shared: PipelineStack.Shared
    private let notify: @Sendable (String) -> Void
    private let backends = Mutex<[SourceDeclaration: Backend]>([:])

    private struct Backend: Sendable {
        let stack: PipelineStack
        let source: @Sendable (any Transport) -> any PhotoSource
    }

    init(_ settings: Settings, _ system: SystemServices, _ console: Console, _ inbox: BrowserInbox) {
        self.settings = settings
        self.system = system
        self.console = console
        notify = { inbox.notify($0) }
        statistics = Statistics(clock: system.clock)
        shared = PipelineStack.Shared(
            statistics: statistics, memory: settings.makeMemoryCache(), onFetch: { inbox.receive($0) },
            onImage: { [statistics] event in
                switch event {
                // The next frame shows it.
                case .decoded, .memoryHit, .thumbnailHit: statistics.printedImage()
                case .failed: statistics.failed()
                default: break
                }
            },
            network: { inbox.counting($0) })
    }

    func backend(of name: String) throws(Failure) -> BrowserBackend {
        guard let choice = SourceDeclaration(name: name) else {
            let names = Values.alternatives(SourceDeclaration.all.map(\.name))
            throw .usage("unknown source \(name); expected \(names)")
        }
        let backend = try backends.withLock { (backends) throws(Failure) -> Backend in
            if let backend = backends[choice] { return backend }
            let source = try settings.photoSource(choice, clock: system.clock, onWait: notify)
            let stack = try PipelineStack(settings, system, console, source: choice, sharing: shared)
            let backend = Backend(stack: stack, source: source)
            backends[choice] = backend
            return backend
        }
        let stack = backend.stack
        let download = FileDownload(transport: stack.transport, clock: system.clock)
        return BrowserBackend(
            source: backend.source, transport: stack.transport, pipeline: stack.pipeline,
            size: { try await download.size(of: $0, trust: $1) },
            save: { try await Self.save($0, to: $1, by: download, progress: $2) },
            export: { [settings, system] job, progress in
                let export = PhotoExport(
                    settings: settings, system: system, transport: stack.transport,
                    source: backend.source(stack.transport))
                return try await export.run(job, progress: progress)
            })
    }

    /// Saves an original; makes missing folders, and saves into a folder that has the path of the file.
    private static func save(
        _ original: ImageSource, to target: SaveTarget, by download: FileDownload,
        progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> String {
        let path = try await ThreadPool(count: 1).run { _ in try Self.path(of: target) }
        switch original {
        case .address(let address, let trust):
            return try await download.run(address, trust: trust, to: path, progress: progress)
        case .localFile(let file): return try await download.copy(file.path, to: path, progress: progress)
        case .file, .folder, .bytes: throw Failure(.internalError, "not an original")
        }
    }

    private static func path(of target: SaveTarget) throws(FetchError) -> String {
        var path = target.path
        let isFolder =
            target.isFolder || path.hasSuffix("/")
            || (try? Folder.working.status(of: path, followingLinks: true))?.kind == .folder
        if isFolder {
            let isEmpty = path.isEmpty || path.hasSuffix("/")
            path += (isEmpty ? "" : "/") + target.name
        }
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return path }
        do throws(FileError) {
            try Folder.create(String(path[..<slash]), permissions: 0o777)
        } catch {
            throw FetchError(.unavailable, "cannot create the folder \(error.path): \(error.reason)")
        }
        return path
    }

    func archivedSearches() async -> [String] {
        _ = try? backend(of: settings.source.name)
        return await settings.searches(in: archive)
    }

    private var archive: ArchiveTransport? { backends.withLock { $0.values.lazy.compactMap(\.stack.archive).first } }

    func explain(_ error: any Error, _ search: BrowserSearch) async -> BrowserError {
        if let error = error as? FetchError, error.kind == .notRecorded {
            let (reason, held) = await settings.absence(search.query, at: search.start, from: archive, error)
            return BrowserError(reason, canRetry: false, archiveHolds: held.isEmpty ? nil : held)
        }
        guard let failure = Failure(error) else { return BrowserError("cancelled") }
        return BrowserError(failure.message, canRetry: failure.code != .usage)
    }

    func finish() async {
        for backend in backends.withLock({ Array($0.values) }) { await backend.stack.finish() }
    }
}
