internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassThreads

/// Runs the work of effects; results come back through the inbox.
struct EffectRunner {
    private let queue: EventQueue
    private let services: BrowserServices
    /// Stores changes in order, on a thread of its own.
    private let writer: WriteBehindQueue<Never, StateChange, Void>
    var searches: SearchRunner
    var saving: SaveRunner
    var trash: TrashRunner
    var viewer: PictureViewer
    var pictures: PictureLoader
    private var watcher: FolderWatcher
    private var backends: [String: BrowserBackend] = [:]
    private(set) var source: String
    private var factsTask: Task<Void, Never>?
    private var searchCacheTask: Task<Void, Never>?

    init(_ inbox: BrowserInbox, _ services: BrowserServices, _ traits: TerminalTraits, source: String) {
        queue = inbox.queue
        self.services = services
        self.source = source
        writer = WriteBehindQueue((), on: ThreadPool(count: 1)) { [store = services.store] change, _ in
            do { try store(change) } catch { inbox.notify("\(error)") }
        }
        searches = SearchRunner(services, queue)
        saving = SaveRunner(services, queue)
        trash = TrashRunner(services.trash, queue)
        viewer = PictureViewer(services, queue)
        watcher = FolderWatcher(queue, services.watch)
        pictures = PictureLoader(traits, services.codecs, queue)
    }

    var backend: BrowserBackend? { backends[source] }
    func store(_ change: StateChange) { writer.withLock { $0.put(change) } }

    /// Cancels all work and waits; stores state first, since after a signal the process has a second to live.
    mutating func finish() async {
        searches.cancel()
        saving.cancel()
        watcher.watch([])
        pictures.cancelAll()
        factsTask?.cancel()
        searchCacheTask?.cancel()
        await writer.flush()
        await saving.finish()
        await trash.finish()
        await viewer.finish()
    }

    mutating func search(_ generation: Int, _ search: BrowserSearch, _ revalidates: Bool) {
        // The listing waits for the watch, so no change is missed. The path may lead to another folder now.
        watcher.watch(search.query.paths)
        do {
            let backend = try backends[search.source] ?? services.backend(search.source)
            backends[search.source] = backend
            source = search.source
            pictures.use(backend.pipeline)
            searches.search(
                generation: generation, search, in: backend, revalidates: revalidates,
                after: { [start = watcher.start] in _ = try? await start?.value })
        } catch {
            searches.cancel()
            Task { [services, queue] in
                let problem = await services.describe(error, search)
                queue.add(.event(.page(generation: generation, .next, .failure(problem))))
            }
        }
    }

    mutating func cancelSearch() {
        searches.cancel()
        watcher.watch([])
        useHome()
    }

    mutating func findCached(_ recent: [RecentSearch], _ generation: Int) {
        searchCacheTask?.cancel()
        searchCacheTask = Task { [services, queue] in
            let found = await services.cached(recent)
            if !Task.isCancelled { queue.add(.event(.cached(generation: generation, found))) }
        }
    }

    /// Reads a file in a task of its own: it may be on a slow disk.
    mutating func loadFacts(of photo: Photo) {
        factsTask?.cancel()
        guard let file = photo.file, let pipeline = backend?.pipeline else { return }
        factsTask = Task { [queue] in
            guard let facts = await PhotoFacts(of: file, by: pipeline) else { return }
            queue.add(.event(.facts(photoID: photo.key, facts)))
        }
    }

    mutating func request(_ requests: PictureRequests) -> [BrowserEvent] {
        watcher.watchInner(requests.folders)
        if pictures.pipeline == nil { useHome() }
        return pictures.setRequests(requests)
    }

    private mutating func useHome() {
        if let pipeline = try? services.home() { pictures.use(pipeline) }
    }

    func open(_ address: WebAddress) -> [BrowserEvent] {
        do {
            try services.open(Array(address.text.utf8))
            return [.notice(.opened("\(address)"))]
        } catch {
            // The address first: it can be copied, and a short line cuts off the end.
            return [.notice(.cannotOpen("\(address.text) (\(error.reason))"))]
        }
    }
}
