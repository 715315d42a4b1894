internal import SpyglassBatch
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
    private let notifyOfWait: @Sendable (String) -> Void
    private let backends = Mutex<[SourceDeclaration: Backend]>([:])
    private let home = Mutex<PipelineStack?>(nil)
    /// Makes the folders of saved files.
    private let fileThreads = ThreadPool(count: 1)

    /// The maximum number of pictures: more than fit beside each other.
    private static let homeCount = 6

    private struct Backend: Sendable {
        let stack: PipelineStack
        let source: @Sendable (any Transport) -> any PhotoSource
    }

    init(_ settings: Settings, _ system: SystemServices, _ console: Console, _ inbox: BrowserInbox) {
        self.settings = settings
        self.system = system
        self.console = console
        notifyOfWait = { inbox.notifyOfWait($0) }
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
            let names = ValueText.alternatives(SourceDeclaration.all.map(\.name))
            throw .usage("unknown source \(name); expected \(names)")
        }
        let backend = try backends.withLock { (backends) throws(Failure) -> Backend in
            if let backend = backends[choice] { return backend }
            let source = try settings.photoSource(choice, clock: system.clock, onWait: notifyOfWait)
            let stack = try PipelineStack(settings, system, console, source: choice, sharing: shared)
            let backend = Backend(stack: stack, source: source)
            backends[choice] = backend
            return backend
        }
        let stack = backend.stack
        let download = FileDownload(transport: stack.transport, clock: system.clock, threads: fileThreads)
        var result = BrowserBackend(
            source: backend.source, transport: stack.transport, pipeline: stack.pipeline,
            size: { try await download.size(of: $0, trust: $1) },
            save: { [fileThreads] original, target, progress in
                let path = try await fileThreads.run { _ in try Self.path(of: target) }
                return try await Self.save(original, to: path, by: download, progress: progress)
            })
        result.batch = BatchServices(settings, stack.transport, clock: system.clock)
        result.jobs = settings.jobs ?? ProcessorCount.usable
        result.transfers = settings.connections ?? ResizeCommand.defaultTransfers
        return result
    }

    private static func save(
        _ original: ImageSource, to path: String, by download: FileDownload,
        progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> String {
        switch original {
        case .address(let address, let trust):
            return try await download.run(address, trust: trust, to: path, progress: progress)
        case .localFile(let file): return try await download.copy(file.path, to: path, progress: progress)
        case .file, .folder, .bytes: throw Failure(.internalError, "not an original")
        }
    }

    /// Returns the path of the file, and makes missing folders.
    ///
    /// The path of an existing folder gets the original's name appended.
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

    // MARK: Without a network

    /// Returns the pipeline of the home screen: pictures of the disk cache, of the archive, or painted.
    func homePipeline() throws(Failure) -> ImagePipeline {
        try home.withLock { (home) throws(Failure) -> ImagePipeline in
            if let home { return home.pipeline }
            // Old pictures are no news there.
            let quiet = PipelineStack.Shared(
                statistics: statistics, memory: shared.memory, onFetch: { _ in }, onImage: { _ in }, network: { $0 })
            let source = settings.source.usesNetwork ? settings.source : .nasa
            let stack = try PipelineStack(
                settings, system, console, source: source, mode: .offline, sharing: quiet)
            home = stack
            return stack.pipeline
        }
    }

    /// Returns generated pictures, which need neither network nor files.
    func bundledPhotos() async -> [HomePhoto] {
        let demo = DemoSource()
        guard let page = try? await demo.page(of: PhotoQuery(), at: nil) else { return [] }
        return page.photos.prefix(Self.homeCount).enumerated().compactMap { position, photo in
            HomePhoto(photo, at: SavedPlace(search: "", position: position, source: demo.name))
        }
    }

    /// Returns the first pictures of the archive, or the picture of the day of a source that was used before.
    func homePhotos(usedSources: Set<String>, _ options: BrowserOptions) async -> [HomePhoto] {
        if settings.archive != nil {
            let searches = await archivedSearches()
            let text = searches.contains("") ? "" : searches.first ?? ""
            return await photos(of: text, from: settings.source, options, count: Self.homeCount)
        }
        guard !settings.isOffline, settings.usesDiskCache, settings.record == nil, usedSources.contains("apod"),
            let apod = SourceRegistry.named("apod")
        else { return [] }
        let photos = await photos(of: "", from: apod, options, count: 1, isToday: true)
        guard let photo = photos.first?.photo, let address = photo.thumbnail, let backend = try? backend(of: apod.name)
        else { return [] }
        // The home screen takes it from the disk cache.
        let picture = try? await backend.transport.fetch(FetchRequest(address, trust: photo.trust))
        return picture?.status == 200 ? photos : []
    }

    private func photos(
        of text: String, from source: SourceDeclaration, _ options: BrowserOptions, count: Int, isToday: Bool = false
    ) async -> [HomePhoto] {
        guard let backend = try? backend(of: source.name),
            let page = try? await backend.source(backend.transport).page(of: PhotoQuery(text), at: nil)
        else { return [] }
        return page.photos.prefix(count).enumerated().compactMap { position, photo in
            let place = SavedPlace(search: text, position: position, source: options.placeSource(source.name))
            return HomePhoto(photo, at: place, isToday: isToday)
        }
    }

    /// Returns the searches whose first page is in the disk cache.
    func cached(_ searches: [RecentSearch]) async -> [RecentSearch] {
        var stacks: [String: any PhotoSource] = [:]
        var found: [RecentSearch] = []
        for search in searches {
            guard let name = search.source, let declaration = SourceRegistry.named(name), declaration.usesNetwork
            else { continue }
            if stacks[name] == nil {
                let transports = try? TransportStack(
                    settings, system, console, source: declaration, mode: .offline, onEvent: { _ in })
                guard let transports else { continue }
                let source = try? settings.photoSource(declaration, clock: system.clock, onWait: { _ in })
                stacks[name] = source?(transports.outermost)
            }
            let text = SearchText(filters: declaration.filters)
            guard let source = stacks[name], let query = try? text.query(of: search.text),
                let page = try? await source.page(of: query, at: nil), !page.photos.isEmpty
            else { continue }
            found.append(search)
        }
        return found
    }

    func explain(_ error: any Error, _ search: BrowserSearch) async -> BrowserError {
        if let error = error as? FetchError, error.kind == .notRecorded {
            let absence = await settings.absence(search.query, at: search.start, from: archive, error)
            return BrowserError(
                absence.reason, canRetry: false, archiveHolds: absence.held.isEmpty ? nil : absence.held)
        }
        guard let failure = Failure(error) else { return BrowserError("cancelled") }
        return BrowserError(failure.message, canRetry: failure.code != .usage)
    }

    func finish() async {
        for backend in backends.withLock({ Array($0.values) }) { await backend.stack.finish() }
        await home.withLock { $0 }?.finish()
    }
}
