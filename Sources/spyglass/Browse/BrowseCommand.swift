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

    /// Whether there is a terminal that can be taken; nothing is done to it.
    var takesScreen: Bool { system.screen { _ in } != nil }

    /// Runs the browser to its end.
    func run(_ console: Console) async throws -> ExitCode {
        let feed = BrowserInbox()
        guard let screen = system.screen(feed.receive) else { throw Failure(.unavailable, "there is no terminal") }
        let theme = try theme
        // Whoever names an archive wants to see it: a home screen that can find nothing is no answer.
        try settings.replayed?.check()
        let files = BrowserFiles(system.environment, keepsHistory: settings.keepsHistory)
        let preferences = settings.preferences(over: files.preferences)
        var settings = settings
        settings.memoryLimit = preferences.memoryLimit
        settings.diskLimit = preferences.diskLimit
        settings.source = SourceChoice(rawValue: preferences.source) ?? settings.source
        let query = try settings.query([words])

        let backends = BrowserBackends(settings, system, console, feed)
        let services = BrowserServices(
            backend: { try backends.backend(of: $0) }, explain: { await backends.explain($0, $1) },
            persistence: files.memory(begunWith: preferences), clock: system.clock)

        let terminal = settings.terminal(of: system, cellsAreScreen: true)
        var setup = BrowserSetup(traits: look(terminal, preferences))
        setup.theme = theme
        setup.preferences = preferences
        setup.options = options
        setup.options.terminalDepth = terminal.color.value
        if settings.archive != nil {
            setup.archived = { await backends.archivedSearches(of: preferences.source) }
        }
        setup.history = files.history
        setup.place = files.place
        setup.fidelity = settings.fidelity
        setup.usesScrollRegion = settings.usesScrollRegion
        setup.maxSize = settings.cells
        setup.query = query == PhotoQuery() && settings.page == 1 ? nil : query
        setup.start = .page(settings.page)
        for problem in files.problems.prefix(1) { feed.notify(problem) }

        console.divert { feed.notify($0) }
        do {
            try screen.start(.init(usesMouse: preferences.usesMouse))
        } catch {
            console.divert(to: nil)
            throw error
        }
        let end = await Browser(feed, services, setup).run(on: screen)
        if case .signal(let number) = end { screen.terminate(bySignal: number) }
        screen.end()
        console.divert(to: nil)
        await backends.finish()
        console.report(backends.statistics, settings.stats, system)
        return .success
    }

    // MARK: How it begins

    /// The theme that the option names: one of ours, or a file.
    private var theme: Theme {
        get throws(Failure) {
            guard let name = settings.theme else { return Theme() }
            if let theme = Theme(named: name) { return theme }
            let (folder, file) = Self.split(name)
            do {
                guard let bytes = try UserFolder(path: folder, evidence: "--theme").read(file) else {
                    throw Failure.usage(
                        "--theme \(name): there is no such file, and the themes are \(Values.alternatives(Theme.names))"
                    )
                }
                return try Theme(parsing: bytes, file: name)
            } catch let failure as Failure {
                throw failure
            } catch {
                throw .usage("--theme: \(error)")
            }
        }
    }

    private func look(_ terminal: TerminalCapabilities, _ preferences: Preferences) -> TerminalTraits {
        // More than the window has cannot be shown.
        let window = settings.terminal(of: system).size.value
        return TerminalTraits(
            size: terminal.size.value.clamped(to: window), depth: preferences.color ?? terminal.color.value,
            glyphs: terminal.glyphs.value, aspect: terminal.aspect.value, background: settings.background,
            isRemote: system.environment["SSH_CONNECTION"]?.isEmpty == false)
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
        options.language = settings.language(in: system.environment).language
        options.sources = SourceChoice.allCases.map(\.rawValue)
        options.filters = Dictionary(uniqueKeysWithValues: SourceChoice.allCases.map { ($0.rawValue, $0.filters) })
        options.themes = Theme.names
        if let folder = system.environment["XDG_DOWNLOAD_DIR"], folder.hasPrefix("/") {
            options.downloadFolder = folder
        }
        // `NO_COLOR` stands behind the settings, on file and on the screen (design, section 3.1).
        options.fixesColor = settings.color != nil
        options.fixesBackground = settings.background != nil
        return options
    }

    /// A path as folder and name.
    private static func split(_ path: String) -> (folder: String, file: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }
}

extension Settings {
    /// The preferences of a run: what an option or a variable decided stands before what the file says.
    func preferences(over file: Preferences) -> Preferences {
        var preferences = file
        if decided.contains(OptionName.source) { preferences.source = source.rawValue }
        if let color { preferences.color = color }
        if let language { preferences.language = language }
        if let memoryLimit { preferences.memoryLimit = memoryLimit }
        if let diskLimit { preferences.diskLimit = diskLimit }
        if decided.contains(OptionName.noMouse) { preferences.usesMouse = usesMouse }
        if let theme { preferences.theme = Theme.names.contains(theme) ? theme : nil }
        return preferences
    }
}
