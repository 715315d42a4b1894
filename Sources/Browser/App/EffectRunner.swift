internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI

/// Performs the effects of `update`; results come back through the inbox.
struct EffectRunner<Terminal: BrowserTerminal> {
    private let inbox: BrowserInbox
    private let services: BrowserServices
    private let terminal: Terminal
    private let stateWriter: StateWriter
    private var searches: SearchRunner
    private(set) var saving: SaveRunner
    private var viewer: PictureViewer
    var pictures: PictureLoader
    private var watcher: FolderWatcher
    private var backends: [String: BrowserBackend] = [:]
    private var source: String
    private var factsTask: Task<Void, Never>?
    private var searchCacheTask: Task<Void, Never>?

    init(
        _ inbox: BrowserInbox, _ services: BrowserServices, _ terminal: Terminal, _ traits: TerminalTraits,
        source: String
    ) {
        self.inbox = inbox
        self.services = services
        self.terminal = terminal
        self.source = source
        stateWriter = StateWriter(inbox)
        searches = SearchRunner(services, inbox.queue)
        saving = SaveRunner(services, inbox.queue)
        viewer = PictureViewer(services, inbox.queue)
        watcher = FolderWatcher(inbox.queue, services.watch)
        pictures = PictureLoader(traits, services.codecs, inbox.queue)
    }

    mutating func perform(_ effect: BrowserEffect) -> [BrowserEvent] {
        switch effect {
        case .search(let generation, let query, let source, let start, let revalidates):
            return search(generation, BrowserSearch(query: query, source: source, start: start), revalidates)
        case .loadPage(let generation, let direction): searches.loadPage(generation: generation, direction)
        case .cancelSearch:
            searches.cancel()
            watcher.watch([])
            useHome()
        case .loadDetails(let generation, let photo):
            guard let backend = backends[source] else { return [] }
            searches.loadDetails(generation: generation, photo, in: backend)
        case .readFiles(let generation, let photos):
            guard let backend = backends[source] else { return [] }
            searches.readFiles(generation: generation, of: photos, in: backend)
        case .loadFacts(let photo): loadFacts(of: photo)
        case .requestPictures(let requests):
            watcher.watchInner(requests.folders)
            if pictures.pipeline == nil { useHome() }
            return pictures.setRequests(requests)
        case .play(let keys): pictures.play(keys)
        case .setTraits(let traits): pictures.setTraits(traits)
        case .open(let address): return openPage(address)
        case .view(let item):
            guard let backend = backends[source] else { return [] }
            viewer.view(item, from: backend, BrowserSearch(source: source))
        case .copy(let text): return copy(text)
        case .askSize(let address, let trust):
            guard let backend = backends[source] else { return [.save(.size(nil))] }
            saving.askSize(address, trust, of: backend)
        case .save(let job):
            guard let backend = backends[source] else { return [.save(.cancelled)] }
            saving.save(job, from: backend, BrowserSearch(source: source))
        case .export(let job):
            guard let backend = backends[source] else { return [.save(.cancelled)] }
            saving.export(job, from: backend, BrowserSearch(source: source))
        case .cancelSave: saving.cancel()
        case .remember(let search):
            stateWriter.write { [persistence = services.persistence] in try persistence.rememberSearch(search) }
        case .savePlace(let place):
            stateWriter.write { [persistence = services.persistence] in try persistence.savePlace(place) }
        case .keepSeen(let photos):
            stateWriter.write { [persistence = services.persistence] in try persistence.keepSeen(photos) }
        case .keepPreferences(let preferences):
            stateWriter.write { [persistence = services.persistence] in try persistence.keepPreferences(preferences) }
        case .keepMarks(let changes):
            stateWriter.write { [persistence = services.persistence] in try persistence.keepMarks(changes) }
        case .keepAnswers(let answers):
            stateWriter.write { [persistence = services.persistence] in try persistence.keepAnswers(answers) }
        case .setMouse(let isOn): terminal.setMouse(isOn)
        case .askBackground: terminal.write(TerminalProbe.background)
        case .suspend: terminal.suspend()
        case .findCached(let generation, let searches):
            searchCacheTask?.cancel()
            searchCacheTask = Task { [services, queue = inbox.queue] in
                let found = await services.cached(searches)
                if !Task.isCancelled { queue.add(.event(.cached(generation: generation, found))) }
            }
        case .animate, .startLineTimer, .startNoticeTimer, .setSlideTimer, .repaint, .quit: break
        }
        return []
    }

    /// Cancels all work and waits; stores state first, since after a signal the process has a second to live.
    mutating func finish() async {
        searches.cancel()
        saving.cancel()
        watcher.watch([])
        pictures.cancelAll()
        factsTask?.cancel()
        searchCacheTask?.cancel()
        await stateWriter.finish()
        await saving.finish()
        await viewer.finish()
    }

    private mutating func useHome() {
        if let pipeline = try? services.home() { pictures.use(pipeline) }
    }

    // MARK: Searching

    private mutating func search(_ generation: Int, _ search: BrowserSearch, _ revalidates: Bool) -> [BrowserEvent] {
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
            return []
        } catch {
            searches.cancel()
            let queue = inbox.queue
            Task { [services] in
                let problem = await services.describe(error, search)
                queue.add(.event(.page(generation: generation, .next, .failure(problem))))
            }
            return []
        }
    }

    // MARK: Pages, clipboard, files

    /// Reading is a task of its own: a file may be on a slow disk.
    private mutating func loadFacts(of photo: Photo) {
        factsTask?.cancel()
        guard let file = photo.file, let pipeline = backends[source]?.pipeline else { return }
        factsTask = Task { [queue = inbox.queue] in
            guard let facts = await PhotoFacts(of: file, by: pipeline) else { return }
            queue.add(.event(.facts(photoID: photo.id, facts)))
        }
    }

    private func openPage(_ address: WebAddress) -> [BrowserEvent] {
        do {
            try services.open(.page(address))
            return [.opened(.success("\(address)"))]
        } catch {
            // The address first: it can be copied, and a short line cuts off the end.
            return [.opened(.failure(BrowserError(reason: "\(address.text) (\(error.reason))")))]
        }
    }

    private func copy(_ text: String) -> [BrowserEvent] {
        guard let bytes = TerminalBytes(copying: text) else { return [.notice(.nothingToCopy)] }
        terminal.write(bytes)
        return []
    }
}
