import SpyglassBatch
import SpyglassBrowser
import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline
import SpyglassThreads

/// The browser's pipelines, one a source, composed on first use; they share the memory cache and the statistics.
final class BrowserBackends: Sendable {
    let statistics: Statistics
    private let settings: Settings
    private let system: SystemServices
    private let console: Console
    private let shared: PipelineStack.Shared
    private let notifyOfWait: @Sendable (String) -> Void
    private typealias Backend = (stack: PipelineStack, source: @Sendable (any Transport) -> any PhotoSource)
    private let backends = Mutex<[SourceDeclaration: Backend]>([:])
    private let home = Mutex<PipelineStack?>(nil)
    /// Makes the folders of saved files.
    private let fileThreads = ThreadPool(count: 1)

    /// The maximum number of photos on the home screen: more than fit side by side.
    private static let homeCount = 6

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
            throw .usage("unknown source \(name); spyglass help lists the sources")
        }
        let backend = try backends.withLock { (backends) throws(Failure) -> Backend in
            if let backend = backends[choice] { return backend }
            let source = try settings.photoSource(choice, clock: system.clock, onWait: notifyOfWait)
            let stack = try PipelineStack(settings, system, console, source: choice, sharing: shared)
            let backend = (stack, source)
            backends[choice] = backend
            return backend
        }
        let transport = backend.stack.transport
        let download = FileDownload(transport: transport, clock: system.clock, threads: fileThreads)
        var result = BrowserBackend(
            source: backend.source, transport: transport, pipeline: backend.stack.pipeline,
            size: { try await download.size(of: $0, trust: $1) },
            save: { [fileThreads] original, target, progress in
                let path = try await fileThreads.run { _ in try Self.path(of: target) }
                switch original {
                case .address(let address, let trust):
                    return try await download.run(address, trust: trust, to: path, progress: progress)
                case .localFile(let file): return try await download.copy(file.path, to: path, progress: progress)
                case .file, .folder, .bytes: throw Failure(.internalError, "not an original")
                }
            })
        result.batch = BatchServices(settings, transport, clock: system.clock)
        result.jobs = settings.jobs ?? ProcessorCount.usable
        result.transfers = settings.connections ?? ResizeCommand.defaultTransfers
        return result
    }

    /// Returns the path of the file, in a folder with the original's name; creates missing folders.
    private static func path(of target: SaveTarget) throws(FetchError) -> String {
        var path = target.path
        if target.isFolder || path.hasSuffix("/") || Argument(path).kind == .folder {
            path += (path.isEmpty || path.hasSuffix("/") ? "" : "/") + target.name
        }
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return path }
        do throws(FileError) { try Folder.create(String(path[..<slash]), permissions: 0o777) } catch {
            throw FetchError(.unavailable, "cannot create the folder \(error.path): \(error.reason)")
        }
        return path
    }

    /// Returns a photo with all files that its source names.
    func whole(_ photo: Photo) async -> Photo {
        guard let backend = try? backend(of: photo.source) else { return photo }
        return (try? await backend.source(backend.transport).renditions(of: photo)) ?? photo
    }

    func archivedSearches() async -> [String] {
        _ = try? backend(of: settings.source.name)
        return await settings.searches(in: archive)
    }

    private var archive: ArchiveTransport? { backends.withLock { $0.values.lazy.compactMap(\.stack.archive).first } }

    /// Returns the pipeline of the home screen, for images in the disk cache or in the archive, and generated ones.
    func homePipeline() throws(Failure) -> ImagePipeline {
        try home.withLock { (home) throws(Failure) -> ImagePipeline in
            if let home { return home.pipeline }
            // Stale images need no notes.
            let quiet = PipelineStack.Shared(
                statistics: statistics, memory: shared.memory, onFetch: { _ in }, onImage: { _ in }, network: { $0 })
            let source = settings.source.usesNetwork ? settings.source : .nasa
            let stack = try PipelineStack(settings, system, console, source: source, mode: .offline, sharing: quiet)
            home = stack
            return stack.pipeline
        }
    }

    /// Returns generated photos, which need neither network nor files.
    func bundledPhotos() async -> [HomePhoto] {
        let demo = DemoSource()
        return await Self.photos(of: "", from: demo, named: demo.name, count: Self.homeCount)
    }

    /// Returns the first photos of the archive, or the picture of the day if its source was used before.
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
        // The home screen reads it from the disk cache.
        let picture = try? await backend.transport.fetch(FetchRequest(address, trust: photo.trust))
        return picture?.status == 200 ? photos : []
    }

    private func photos(
        of text: String, from source: SourceDeclaration, _ options: BrowserOptions, count: Int, isToday: Bool = false
    ) async -> [HomePhoto] {
        guard let backend = try? backend(of: source.name) else { return [] }
        return await Self.photos(
            of: text, from: backend.source(backend.transport), named: options.placeSource(source.name), count: count,
            isToday: isToday)
    }

    private static func photos(
        of text: String, from source: any PhotoSource, named name: String, count: Int, isToday: Bool = false
    ) async -> [HomePhoto] {
        let page = try? await source.page(of: PhotoQuery(text), at: nil)
        return page?.photos.prefix(count).enumerated().compactMap { position, photo in
            HomePhoto(photo, at: SavedPlace(search: text, position: position, source: name), isToday: isToday)
        } ?? []
    }

    /// Returns the searches whose first page is in the disk cache.
    func cached(_ searches: [RecentSearch]) async -> [RecentSearch] {
        var sources: [String: any PhotoSource] = [:]
        var found: [RecentSearch] = []
        for search in searches {
            guard let name = search.source, let declaration = SourceRegistry.named(name), declaration.usesNetwork
            else { continue }
            if sources[name] == nil {
                let transports = try? TransportStack(
                    settings, system, console, source: declaration, mode: .offline, onEvent: { _ in })
                let source = try? settings.photoSource(declaration, clock: system.clock, onWait: { _ in })
                sources[name] = transports.flatMap { source?($0.outermost) }
            }
            let query = try? SearchText(filters: declaration.filters).query(of: search.text)
            guard let source = sources[name], let query, let page = try? await source.page(of: query, at: nil),
                !page.photos.isEmpty
            else { continue }
            found.append(search)
        }
        return found
    }

    func explain(_ error: any Error, _ search: BrowserSearch) async -> BrowserError {
        if let error = error as? FetchError, error.kind == .notRecorded {
            let absence = await settings.absence(search.query, at: search.start, from: archive, error)
            let held = absence.held.isEmpty ? nil : absence.held
            return BrowserError(absence.reason, canRetry: false, archiveHolds: held)
        }
        guard let failure = Failure(error) else { return BrowserError("cancelled") }
        return BrowserError(failure.message, canRetry: failure.code != .usage)
    }

    func finish() async {
        for backend in backends.withLock({ Array($0.values) }) { await backend.stack.finish() }
        await home.withLock { $0 }?.finish()
    }
}
