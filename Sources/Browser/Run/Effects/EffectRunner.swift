internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassTerminalUI

/// Does what `update` wants of the world; answers come back through the feed's queue.
struct EffectRunner<Terminal: BrowserTerminal> {
    private let feed: BrowserInbox
    private let services: BrowserServices
    private let terminal: Terminal
    private let scribe: StateWriter
    private var searches: SearchRunner
    private(set) var saving: SaveRunner
    var pictures: PictureLoader
    /// The sources that were used, and the name of the one that is.
    private var supplies: [String: BrowserBackend] = [:]
    private var source: String

    init(
        _ feed: BrowserInbox, _ services: BrowserServices, _ terminal: Terminal, _ look: TerminalTraits, source: String
    ) {
        self.feed = feed
        self.services = services
        self.terminal = terminal
        self.source = source
        scribe = StateWriter(feed)
        searches = SearchRunner(services, feed.queue)
        saving = SaveRunner(services, feed.queue)
        pictures = PictureLoader(look, feed.queue)
    }

    /// Begins an effect; what is known of its outcome at once.
    mutating func perform(_ effect: BrowserEffect) -> [BrowserEvent] {
        switch effect {
        case .search(let generation, let query, let source, let start, let revalidates):
            return search(generation, BrowserSearch(query: query, source: source, start: start), revalidates)
        case .loadPage(let generation, let direction): searches.loadPage(generation: generation, direction)
        case .cancelSearch: searches.cancel()
        case .loadDetails(let generation, let photo):
            guard let supply = supplies[source] else { return [] }
            searches.loadDetails(generation: generation, photo, in: supply)
        case .want(let wishes): return pictures.want(wishes)
        case .setLook(let look): pictures.setLook(look)
        case .open(let address): return open(address)
        case .copy(let text): return copy(text)
        case .askSize(let address, let trust):
            guard let supply = supplies[source] else { return [.save(.size(nil))] }
            saving.askSize(address, trust, of: supply)
        case .save(let address, let trust, let path):
            guard let supply = supplies[source] else { return [.save(.cancelled)] }
            let search = BrowserSearch(source: source)
            saving.save(address, trust, to: path, from: supply, search)
        case .cancelSave: saving.cancel()
        case .remember(let search): scribe.write { [memory = services.memory] in try memory.rememberSearch(search) }
        case .keepPlace(let place): scribe.write { [memory = services.memory] in try memory.keepPlace(place) }
        case .keepPreferences(let preferences):
            scribe.write { [memory = services.memory] in try memory.keepPreferences(preferences) }
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
        await scribe.finish()
        await saving.finish()
    }

    // MARK: Searching

    private mutating func search(
        _ generation: Int, _ search: BrowserSearch, _ revalidates: Bool
    ) -> [BrowserEvent] {
        do {
            let supply = try supplies[search.source] ?? services.supply(search.source)
            supplies[search.source] = supply
            source = search.source
            pictures.use(supply.pipeline)
            searches.search(generation: generation, search, in: supply, revalidates: revalidates)
            return []
        } catch {
            searches.cancel()
            let queue = feed.queue
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
