internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassTerminalUI

/// Does what `update` wants of the world; answers come back through the feed's queue.
struct EffectRunner<Terminal: BrowserTerminal> {
    private let inbox: BrowserInbox
    private let services: BrowserServices
    private let terminal: Terminal
    private let stateWriter: StateWriter
    private var searches: SearchRunner
    private(set) var saving: SaveRunner
    var pictures: PictureLoader
    /// The sources that were used, and the name of the one that is.
    private var backends: [String: BrowserBackend] = [:]
    private var source: String

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
        pictures = PictureLoader(traits, inbox.queue)
    }

    /// Begins an effect; what is known of its outcome at once.
    mutating func perform(_ effect: BrowserEffect) -> [BrowserEvent] {
        switch effect {
        case .search(let generation, let query, let source, let start, let revalidates):
            return search(generation, BrowserSearch(query: query, source: source, start: start), revalidates)
        case .loadPage(let generation, let direction): searches.loadPage(generation: generation, direction)
        case .cancelSearch: searches.cancel()
        case .loadDetails(let generation, let photo):
            guard let backend = backends[source] else { return [] }
            searches.loadDetails(generation: generation, photo, in: backend)
        case .requestPictures(let requests): return pictures.want(requests)
        case .setTraits(let traits): pictures.setLook(traits)
        case .open(let address): return open(address)
        case .copy(let text): return copy(text)
        case .askSize(let address, let trust):
            guard let backend = backends[source] else { return [.save(.size(nil))] }
            saving.askSize(address, trust, of: backend)
        case .save(let address, let trust, let path):
            guard let backend = backends[source] else { return [.save(.cancelled)] }
            let search = BrowserSearch(source: source)
            saving.save(address, trust, to: path, from: backend, search)
        case .cancelSave: saving.cancel()
        case .remember(let search):
            stateWriter.write { [persistence = services.persistence] in try persistence.rememberSearch(search) }
        case .keepPlace(let place):
            stateWriter.write { [persistence = services.persistence] in try persistence.keepPlace(place) }
        case .keepPreferences(let preferences):
            stateWriter.write { [persistence = services.persistence] in try persistence.keepPreferences(preferences) }
        case .setMouse(let isOn): terminal.setMouse(isOn)
        case .suspend: terminal.suspend()
        case .animate, .repaint, .quit: break
        }
        return []
    }

    /// Cancels what is under way; returns when what is to be remembered is written, and nothing half saved is left.
    ///
    /// What is to be remembered comes first: after a signal the process has a second to live.
    mutating func finish() async {
        searches.cancel()
        saving.cancel()
        pictures.cancelAll()
        await stateWriter.finish()
        await saving.finish()
    }

    // MARK: Searching

    private mutating func search(
        _ generation: Int, _ search: BrowserSearch, _ revalidates: Bool
    ) -> [BrowserEvent] {
        do {
            let backend = try backends[search.source] ?? services.backend(search.source)
            backends[search.source] = backend
            source = search.source
            pictures.use(backend.pipeline)
            searches.search(generation: generation, search, in: backend, revalidates: revalidates)
            return []
        } catch {
            searches.cancel()
            let queue = inbox.queue
            Task { [services] in
                let problem = Problem(await services.explain(error, search), of: error)
                queue.add(.event(.page(generation: generation, .next, .failure(problem))))
            }
            return []
        }
    }

    // MARK: Pages, clipboard, files

    private func open(_ address: WebAddress) -> [BrowserEvent] {
        do {
            try services.open(address)
            return [.opened(.success(address.text))]
        } catch {
            // The address comes first: it can be copied, and a short line cuts off what comes last.
            return [.opened(.failure(Problem(reason: "\(address.text) (\(error.reason))")))]
        }
    }

    private func copy(_ text: String) -> [BrowserEvent] {
        guard let bytes = TerminalBytes(copying: text) else { return [.notice(.nothingToCopy)] }
        terminal.write(bytes)
        return []
    }
}
