internal import SpyglassBrowser
internal import SpyglassCaching
internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassTerminalUI

/// `spyglass [browse] [QUERY... | FOLDER|FILE...]`: the full-screen browser.
struct BrowseCommand: Sendable {
    private let settings: Settings
    private let operands: [Argument]
    private let system: SystemServices

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) {
        self.settings = settings
        self.operands = operands
        self.system = system
    }

    func run(_ console: Console) async throws -> ExitCode {
        let inbox = BrowserInbox()
        guard let screen = system.screen(inbox.receive) else { throw Failure(.unavailable, "no terminal") }
        // Without a readable archive the home screen could find nothing.
        try settings.replayedArchive?.check()
        let files = BrowserFiles(settings) { inbox.notify($0) }
        var setup = try setup
        let backends = BrowserBackends(settings, system, console, inbox)
        var services = BrowserServices(
            backend: { try backends.backend(of: $0) }, explain: { await backends.explain($0, $1) },
            store: { [files] in try files.store($0) }, clock: system.clock)
        services.home = { try backends.homePipeline() }
        services.cached = { await backends.cached($0) }
        services.codecs = .standard
        services.viewFolder = viewFolder
        services.watch = { try FolderWatch($0) }
        if settings.archive != nil { setup.archived = { await backends.archivedSearches() } }
        setup.history = files.history
        setup.place = files.place
        setup.marks = files.marks
        setup.seen = files.seen
        setup.homeOffers = await backends.bundledPhotos()
        if setup.query == nil {
            let places = [setup.place?.source, setup.preferences.source] + setup.seen.map(\.place.source)
            let used = Set((setup.history.map(\.source) + places).compactMap(\.self))
            setup.homePhotos = { [options = setup.options] in
                await backends.homePhotos(usedSources: used, options)
            }
        }
        if let line = files.problems.first ?? settings.options.hint { inbox.notify(line) }

        console.divert { inbox.notify($0) }
        do {
            let queries = TerminalProbe.bytes(asksPalette: setup.traits.depth == .palette16) { system.environment[$0] }
            try screen.start(.init(usesMouse: settings.preferences.usesMouse, queries: queries))
        } catch {
            console.divert(to: nil)
            throw error
        }
        let end = await Browser(inbox, services, setup).run(on: screen)
        if case .signal(let number) = end { screen.terminate(bySignal: number) }
        screen.end()
        console.divert(to: nil)
        for line in inbox.takeProblems() { console.error(line) }
        await backends.finish()
        console.report(backends.statistics, settings.stats, system)
        return .success
    }

    private var setup: BrowserSetup {
        get throws(Failure) {
            let terminal = settings.terminal
            var setup = BrowserSetup(traits: TerminalTraits(size: terminal.size.value))
            setup.traits.depth = terminal.color.value
            setup.traits.glyphs = terminal.glyphs.value
            setup.traits.aspect = terminal.aspect.value
            setup.traits.cellPixels = terminal.cellPixels?.value
            setup.traits.pixels = settings.pixels.value
            setup.traits.listPixels = settings.listPixels
            setup.traits.usesPlaceholders = terminal.usesPlaceholders
            setup.traits.maxSixelSide = terminal.support.maxSixelSide
            setup.traits.isInsideTmux = terminal.isInsideTmux
            setup.traits.background = settings.background
            setup.traits.drawsBackground = settings.background != nil
            setup.traits.isRemote = settings.isRemote
            setup.theme = settings.theme
            setup.preferences = settings.preferences
            setup.options = options
            setup.maxSize = settings.cells?.filled(from: .largest)
            let query = try settings.query(operands)
            // Without a query it starts with the home screen.
            setup.query = query == PhotoQuery() ? nil : query
            return setup
        }
    }

    /// A folder that no other user can know, for files that the desktop's viewer opens.
    private var viewFolder: String {
        "\(settings.scratchFolder)/spyglass-view-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
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
        options.pixelSupport = settings.terminal.support
        options.terminalDepth = settings.automatic.color
        for source in SourceRegistry.all {
            options.filters[source.name] = source.filters
            options.suggestions[source.name] = options.suggestions[source.name] ?? [source.example]
            options.obstacles[source.name] = settings.obstacle(to: source)
        }
        // A service that has ended is offered only if it is asked for.
        options.sources = SourceRegistry.all.filter { $0.retirement == nil || $0 == settings.source }.map(\.name)
        options.themes = Theme.names
        options.automaticMemory = Settings.defaultMemoryLimit(of: .browse)?.value
        options.automaticDisk = settings.cacheFolder.map { DiskCache.automaticByteLimit(near: $0.value) }
        options.downloadFolder = settings.downloadFolder
        options.workingFolder = LocalFile.absolutePath(Array(".".utf8)).shown
        options.homeFolder = system.environment["HOME"] ?? ""
        options.fixesColor = settings.options.color != nil
        options.fixesCellPixels = settings.cellSize != nil
        options.fixesBackground = settings.background != nil
        return options
    }
}
