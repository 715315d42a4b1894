internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI

/// `spyglass [browse] [QUERY...]`: the full-screen browser.
struct BrowseCommand: Sendable {
    private let settings: Settings
    private let words: String
    private let system: SystemServices

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) {
        self.settings = settings
        words = operands.map(\.text).joined(separator: " ")
        self.system = system
    }

    /// Runs the browser to its end.
    func run(_ console: Console) async throws -> ExitCode {
        let inbox = BrowserInbox()
        guard let screen = system.screen(inbox.receive) else { throw Failure(.unavailable, "no terminal") }
        // Without a readable archive the home screen could find nothing.
        try settings.replayedArchive?.check()
        let files = BrowserFiles(settings)
        let backends = BrowserBackends(settings, system, console, inbox)
        let services = BrowserServices(
            supply: { try backends.backend(of: $0) }, explain: { await backends.explain($0, $1) },
            memory: files.persistence(), clock: system.clock)
        var setup = setup
        if settings.archive != nil { setup.archived = { await backends.archivedSearches() } }
        setup.history = files.history
        setup.place = files.place
        for problem in files.problems.prefix(1) { inbox.say(problem) }

        console.divert { inbox.say($0) }
        do {
            try screen.start(.init(usesMouse: settings.preferences.usesMouse))
        } catch {
            console.divert(to: nil)
            throw Failure(.unavailable, "cannot open the terminal: \(error)")
        }
        let end = await Browser(inbox, services, setup).run(on: screen)
        if case .signal(let number) = end { screen.terminate(bySignal: number) }
        screen.end()
        console.divert(to: nil)
        await backends.finish()
        console.report(backends.statistics, settings.stats, system)
        return .success
    }

    private var setup: BrowserSetup {
        let terminal = settings.terminal
        var setup = BrowserSetup(
            look: TerminalTraits(
                size: terminal.size.value, depth: terminal.color.value, glyphs: terminal.glyphs.value,
                aspect: terminal.aspect.value, background: settings.background, isRemote: settings.isRemote))
        setup.theme = settings.theme
        setup.preferences = settings.preferences
        setup.options = options
        setup.fidelity = settings.fidelity
        setup.usesScrollRegion = settings.usesScrollRegion
        setup.maxSize = settings.cells
        let query = settings.options.query(words.isEmpty ? [] : [words])
        // Without a search it starts with the home screen.
        if query != PhotoQuery() || settings.page > 1 { setup.search = (words, query) }
        setup.position = (settings.page - 1) * NASASource.pageSize
        return setup
    }

    private var options: BrowserOptions {
        var options = BrowserOptions()
        options.showsImages = settings.showsImages
        options.keepsHistory = settings.keepsHistory
        options.isOffline = settings.isOffline
        if settings.archive != nil {
            options.archive = settings.archive
            options.archiveHolds = []
        }
        options.language = settings.automatic.language
        options.terminalDepth = settings.automatic.color
        options.sources = SourceChoice.names
        options.themes = Theme.names
        options.downloadFolder = settings.downloadFolder
        options.fixesColor = settings.options.color != nil
        options.fixesBackground = settings.background != nil
        return options
    }
}
