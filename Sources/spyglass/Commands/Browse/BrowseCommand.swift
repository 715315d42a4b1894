import SpyglassBrowser
import SpyglassCaching
import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import SpyglassFolders
import SpyglassTerminalUI
import SpyglassThreads

/// `spyglass [browse] [QUERY... | FOLDER|FILE...]`: the full-screen browser.
struct BrowseCommand: Sendable {
    let settings: Settings
    let operands: [Argument]
    let system: SystemServices

    func run(_ console: Console) async throws -> ExitCode {
        let inbox = BrowserInbox()
        let picks = settings.options.picks
        guard picks || !settings.options.endsWithZero else {
            throw Failure.usage("--null needs --pick")
        }
        guard let screen = picks ? system.pickScreen(inbox.receive) : system.screen(inbox.receive) else {
            throw Failure(.unavailable, "browse needs a terminal; spyglass list prints photos without one")
        }
        // The home screen would be empty without a readable archive.
        try settings.replayedArchive?.check()
        let files = BrowserFiles(settings) { inbox.notify($0) }
        var setup = try setup
        let backends = BrowserBackends(settings, system, console, inbox)
        var services = BrowserServices(
            backend: { try backends.backend(of: $0) }, explain: { await backends.explain($0, $1) },
            store: { [files] in try files.store($0) }, clock: system.clock)
        services.home = { try backends.homePipeline() }
        services.cached = { await backends.cached($0) }
        let sharedPixels = system.sharedMemory.map { SharedPixels(folder: $0) }
        services.codecs = .standard
        services.codecs?.sharedPixels = sharedPixels
        services.viewFolder = viewFolder
        services.trash = Trash(home: settings.dataFolder.map { "\($0)/Trash" })
        services.watch = { try FolderWatch($0) }
        if settings.archive != nil { setup.archived = { await backends.archivedSearches() } }
        (setup.history, setup.place) = (files.history, files.place)
        (setup.marks, setup.seen) = (picks ? [] : files.marks, files.seen)
        setup.commands = files.commands
        setup.homeOffers = await backends.bundledPhotos()
        if setup.query == nil {
            let places = [setup.place?.source, setup.preferences.source] + setup.seen.map(\.place.source)
            let used = Set((setup.history.map(\.source) + places).compactMap(\.self))
            setup.homePhotos = { [options = setup.options] in await backends.homePhotos(usedSources: used, options) }
        }
        let keys = KeysFile(in: settings.settingsFolder)
        setup.keys = keys.keys
        let problems = files.problems + keys.summary
        let more = problems.count > 1 ? " (and \(problems.count - 1) more: spyglass doctor)" : ""
        if let line = problems.first.map({ $0 + more }) ?? settings.options.hint { inbox.notify(line) }

        console.divert { inbox.notify($0) }
        defer { sharedPixels?.removeAll() }
        do {
            let queries = TerminalProbe.bytes(
                asksPalette: setup.traits.depth == .palette16, sharedPixels: sharedPixels
            ) { system.environment[$0] }
            var options = TerminalSession.Options(usesMouse: settings.preferences.usesMouse, queries: queries)
            options.usesControllingTerminal = picks
            try screen.start(options)
        } catch {
            console.divert(to: nil)
            throw error
        }
        let end = await Browser(inbox, services, setup).run(on: screen)
        sharedPixels?.removeAll()
        if case .signal(let number) = end { screen.terminate(bySignal: number) }
        screen.end()
        console.divert(to: nil)
        do { try files.finish() } catch { inbox.notify("\(error)") }
        for line in inbox.takeProblems() { console.error(line) }
        let picked = if case .quit(let photos) = end { photos } else { [Photo]() }
        let printed: Result<Int, any Error>
        do { printed = .success(try await printPicked(picked, backends, console)) } catch { printed = .failure(error) }
        await backends.finish()
        console.report(backends.statistics, settings.stats, system)
        let count = try printed.get()
        return picks && count == 0 ? .someFailed : .success
    }

    /// Prints the paths of files, and the addresses of the originals of other photos; returns how many.
    private func printPicked(
        _ photos: [Photo], _ backends: BrowserBackends, _ console: Console
    ) async throws -> Int {
        guard !photos.isEmpty else { return 0 }
        var count = 0
        var bytes: [UInt8] = []
        for photo in photos {
            var text = photo.file?.path
            if let path = text {
                do throws(FileError) { _ = try Folder.working.status(of: path) } catch {
                    console.error("\(photo.title): \(error.reason)")
                    continue
                }
            } else {
                let whole = await backends.whole(photo)
                text = (whole.original ?? whole.page).map { Array($0.text.utf8) }
            }
            guard let text else {
                console.error("\(photo.title): no address")
                continue
            }
            count += 1
            bytes += text + [settings.options.endsWithZero ? 0 : UInt8(ascii: "\n")]
        }
        // As `find` does, names with line breaks are printed as they are, except to a terminal.
        let isForTerminal = system.terminal(nil).isTerminal
        try console.print(isForTerminal ? TerminalBytes(escaped: bytes.shown) : TerminalBytes(data: bytes))
        return count
    }

    private var setup: BrowserSetup {
        get throws(Failure) {
            let terminal = settings.terminal
            var traits = TerminalTraits(size: terminal.size.value)
            (traits.depth, traits.glyphs) = (terminal.color.value, terminal.glyphs.value)
            (traits.aspect, traits.cellPixels) = (terminal.aspect.value, terminal.cellPixels?.value)
            traits.pixels = settings.pixels.value
            traits.usesPlaceholders = terminal.usesPlaceholders
            traits.maxSixelSide = terminal.support.maxSixelSide
            traits.isInsideTmux = terminal.isInsideTmux
            (traits.background, traits.drawsBackground) = (settings.background, settings.background != nil)
            traits.isRemote = settings.isRemote
            var setup = BrowserSetup(traits: traits)
            setup.theme = settings.theme
            setup.preferences = settings.preferences
            setup.options = options
            setup.maxSize = settings.cells?.filled(from: .largest)
            var query = try settings.query(operands)
            if query.paths.count == 1, let file = Self.file(at: query.paths[0]) {
                (query.paths, query.includesNeighbours) = ([file], true)
                setup.start = FolderSource.start(at: file)
            }
            // `nil` starts with the home screen.
            setup.query = query == PhotoQuery() ? nil : query
            return setup
        }
    }

    /// Returns the absolute path of a regular file, with links in its folder's path resolved; `nil` for anything else.
    private static func file(at path: [UInt8]) -> [UInt8]? {
        guard let around = path.folderAround, let file = try? Folder.working.status(of: path, followingLinks: true),
            file.isRegular
        else { return nil }
        return LocalFile.absolutePath(around).appending(name: path.lastName)
    }

    /// A folder with a secret name, for files that the desktop's viewer opens.
    private var viewFolder: String {
        "\(settings.scratchFolder)/spyglass-view-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
    }

    private var options: BrowserOptions {
        var options = BrowserOptions()
        options.showsImages = settings.showsImages
        options.keepsHistory = settings.keepsHistory
        options.picks = settings.options.picks
        options.isOffline = settings.isOffline
        options.isVerbose = settings.isVerbose
        options.archive = settings.archive
        if settings.archive != nil { options.archiveHolds = [] }
        options.language = settings.automatic.language
        options.pixelSupport = settings.terminal.support
        options.pixels = settings.options.pixels
        options.terminalDepth = settings.automatic.color
        for source in SourceRegistry.all {
            options.filters[source.name] = source.filters
            options.suggestions[source.name] = options.suggestions[source.name] ?? [source.example]
            options.obstacles[source.name] = settings.obstacle(to: source)
        }
        // A service that has ended is offered only if the user chose it.
        options.sources = SourceRegistry.all.filter { $0.retirement == nil || $0 == settings.source }.map(\.name)
        options.themes = Theme.names
        options.automaticMemory = Settings.defaultMemoryLimit(of: .browse)?.value
        options.automaticDisk = settings.cacheFolder.map { DiskCache.automaticByteLimit(near: $0.value) }
        options.downloadFolder = settings.downloadFolder
        options.workingFolder = LocalFile.absolutePath(Array(".".utf8)).shown
        options.homeFolder = system.environment["HOME"] ?? ""
        options.fixesColor = settings.options.color != nil
        (options.fixesCellPixels, options.fixesBackground) = (settings.cellSize != nil, settings.background != nil)
        return options
    }
}

/// The files of the browser: settings, searches, the last position and marks.
final class BrowserFiles: Sendable {
    private let settingsFile: SettingsFile?
    private let state: StateStore?
    private let terminalKey: String
    /// The last stored preferences and the present ones; at first those of the start, options included.
    private let preferences: Mutex<(stored: Preferences, present: Preferences)>
    /// Marks that could not be stored; each later change tries again, and so does `finish`.
    private let unstored = Mutex(MarkChanges())
    let history: [RecentSearch]
    let place: SavedPlace?
    let marks: [PhotoMark]
    let commands: [String]
    let seen: [HomePhoto]
    let problems: [String]

    /// `report` receives a line about each damaged file that was set aside.
    init(_ settings: Settings, report: @escaping @Sendable (String) -> Void = { _ in }) {
        preferences = Mutex((settings.preferences, settings.preferences))
        settingsFile = settings.settingsFolder.map { SettingsFile(store: StateStore(folder: $0, report: report)) }
        let folder = settings.keepsHistory ? settings.stateFolder : nil
        let state = folder.map { StateStore(folder: $0, report: report) }
        self.state = state
        terminalKey = settings.terminal.support.key
        var problems = [settings.settingsProblem].compactMap(\.self)
        history = Self.read(&problems) { try state.map(HistoryFile.init)?.read() } ?? []
        place = Self.read(&problems) { try state.map(PlaceFile.init)?.read() } ?? nil
        commands = Self.read(&problems) { try state.map(CommandsFile.init)?.read().map(\.text) } ?? []
        marks = Self.read(&problems) { try state.map(MarksFile.init)?.read() } ?? []
        seen = Self.read(&problems) { try state.map(SeenFile.init)?.read() } ?? []
        self.problems = problems
    }

    /// Stores a change; an error says what was not stored.
    func store(_ change: StateChange) throws(Failure) {
        do {
            switch change {
            case .search(let search): try state.map(HistoryFile.init)?.remember(search)
            case .place(let place): try state.map(PlaceFile.init)?.write(place)
            case .marks(let changes): try storeMarks(changes)
            case .command(let text): try state.map(CommandsFile.init)?.put([PastCommand(text: text)])
            case .seen(let photos): try state.map(SeenFile.init)?.put(photos)
            case .answers(let answers): try state.map(TerminalsFile.init)?.remember(answers, of: terminalKey)
            case .preferences(let new):
                preferences.withLock { $0.present = new }
                try storePreferences()
            }
            if case .marks = change { return }
            try? storeMarks(MarkChanges())
        } catch { throw Failure(.unavailable, "cannot save \(change.name): \(error)") }
    }

    /// Stores the settings and marks that could not be stored before; one failure does not prevent the other.
    func finish() throws(Failure) {
        var problems: [String] = []
        do { try storePreferences() } catch { problems.append("cannot save settings: \(error)") }
        do { try storeMarks(MarkChanges()) } catch { problems.append("cannot save marks: \(error)") }
        guard problems.isEmpty else { throw Failure(.unavailable, problems.joined(separator: "; ")) }
    }

    private func storePreferences() throws(Failure) {
        let (stored, present) = preferences.withLock { $0 }
        // Compared with the stored ones, so that undoing a change is stored, too.
        try settingsFile?.write(present, changedFrom: stored)
        preferences.withLock { $0.stored = present }
    }

    private func storeMarks(_ changes: MarkChanges) throws(Failure) {
        try unstored.withLock { unstored throws(Failure) in
            unstored.add(changes)
            guard !unstored.isEmpty else { return }
            try state.map(MarksFile.init)?.write(unstored)
            unstored = MarkChanges()
        }
    }

    private static func read<Value>(_ problems: inout [String], _ body: () throws -> Value?) -> Value? {
        do { return try body() } catch {
            problems.append("\(error)")
            return nil
        }
    }
}

extension StateChange {
    fileprivate var name: String {
        switch self {
        case .search: "the search"
        case .place: "the position"
        case .marks: "marks"
        case .command: "the command"
        case .seen: "the last photos"
        case .answers: "the terminal's replies"
        case .preferences: "settings"
        }
    }
}
