import SpyglassBatch
import SpyglassBrowser
import SpyglassCaching
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassFolders
import SpyglassPipeline
import SpyglassSandbox
import SpyglassTerminalUI
import SpyglassThreads

/// How a run behaves: options take precedence over the settings file, and that over the environment and the terminal.
///
///     let settings = try Settings(options, for: .list, on: system)
///     settings.terminal.color.value     // .truecolor
///     settings.terminal.color.evidence  // "COLORTERM=truecolor"
///
/// Resolved once, before a command starts; nothing else reads these places. Includes the members of `options`.
@dynamicMemberLookup
struct Settings: Sendable {
    /// A value and what decided it: "--cache-dir", "XDG_CACHE_HOME", "the settings file".
    typealias Resolved = TerminalCapabilities.Finding

    let options: Options
    let environment: Environment
    let terminal: TerminalCapabilities
    /// How `show` and the browser's view of one photo draw.
    let pixels: Resolved<PixelMode>
    let language: Resolved<Language>
    /// `nil`: neither an option nor the environment names a folder.
    let cacheFolder: Resolved<String>?
    /// Bytes of the disk cache; `nil`: the cache's default.
    let diskLimit: Resolved<Int>?
    /// Bytes of images in memory; `nil`: the pipeline's default.
    let memoryLimit: Resolved<Int>?
    /// Bytes of work memory; `nil`: the default, which only `doctor` resolves.
    let workLimit: Resolved<Int>?
    /// The budget of all decoders and bodies of this process.
    let workMemory: WorkMemory
    /// The processes that decode with foreign libraries; `nil` where none can be started.
    let workers: WorkerPool?
    let scratchFolder: String
    /// The part of the items that this process of `resize` handles.
    let shard: Shard?

    let settingsFolder, stateFolder: UserFolder?
    let settingsProblem: String?
    /// The values on the settings screen: the file's, overridden by options.
    let preferences: Preferences
    let theme: Theme
    /// The values of "automatic" on the settings screen.
    let automatic: (color: ColorDepth, language: Language)
    /// Where originals are saved; empty: the current folder.
    let downloadFolder: String
    /// `$XDG_DATA_HOME`, else `~/.local/share`; `nil` without a home.
    let dataFolder: String?
    let isRemote: Bool

    subscript<Value>(dynamicMember path: KeyPath<Options, Value>) -> Value { options[keyPath: path] }

    /// Resolves the settings of `command`; only `browse` uses the settings file.
    init(_ options: Options, for command: Command, on system: SystemServices) throws(Failure) {
        let environment = system.environment
        self.options = options
        self.environment = environment
        settingsFolder = UserFolder.settings(in: environment)
        stateFolder = UserFolder.state(in: environment)
        let read = [.browse, .doctor].contains(command) ? settingsFolder.map(Self.read) : nil
        settingsProblem = read?.problem
        let file = command == .browse ? read?.preferences ?? Preferences() : Preferences()
        let storedMemoryLimit = read?.preferences.memoryLimit

        var terminal = system.terminal(options.color.map { Resolved($0, evidence: "--color \($0.rawValue)") })
        // It draws on the controlling terminal.
        if options.picks { terminal.isTerminal = true }
        let locale = Language(environment: { environment[$0] })
        automatic = (terminal.color.value, locale)
        if options.color == nil, let color = file.color { terminal.color = Resolved(color, evidence: Self.fileName) }
        if [.browse, .list, .doctor].contains(command), let cells = options.cells {
            let screen = terminal.size.value
            let size = command == .browse ? cells.filled(from: screen).clamped(to: screen) : cells.filled(from: screen)
            terminal.size = Resolved(size, evidence: "--cells \(cells)")
        }
        if command == .show, !terminal.isTerminal, let size = Self.previewSize(environment, terminal.size.value) {
            terminal.size = size
        }
        let chosen = Self.resolve(options.pixels, "--pixels \(options.pixels?.rawValue ?? "")", nil)
        if [.browse, .show, .doctor].contains(command) {
            Self.learn(&terminal, command, chosen?.value, options, system, stateFolder)
        }
        if let cell = options.cellSize { terminal.setCell(cell, evidence: "--cell-size \(cell)") }
        self.terminal = terminal
        if let chosen {
            pixels = chosen
        } else if !terminal.isTerminal {
            // Half-blocks are drawn everywhere.
            pixels = Resolved(.half, evidence: "not a terminal")
        } else if terminal.color.value == .monochrome {
            pixels = Resolved(.half, evidence: "no colours: \(terminal.color.evidence)")
        } else if file.prefersSymbols {
            pixels = Resolved(terminal.support.bestSymbols.value, evidence: Self.fileName)
        } else {
            pixels = terminal.pixels
        }
        language = Self.resolve(nil, "", file.language) ?? Resolved(locale, evidence: "the locale")

        cacheFolder =
            Self.resolve(options.cacheFolder, "--cache-dir")
            ?? UserFolder.cache(in: environment).map { Resolved($0.path, evidence: $0.evidence) }
        diskLimit = Self.resolve(options.diskLimit, "--disk-limit", file.diskLimit)
        memoryLimit = Self.resolve(nil, "", storedMemoryLimit) ?? Self.defaultMemoryLimit(of: command)
        let budget = MemoryBudget.current()
        let share = Resolved(
            budget.workBytes,
            evidence: "a quarter of the \(ValueText.bytes(budget.bytes)) that this process may use")
        workLimit = Self.resolve(options.workLimit, "--work-memory") ?? (command == .doctor ? share : nil)
        let memory = WorkMemory(limit: options.workLimit ?? budget.workBytes)
        workMemory = memory
        workers =
            options.sandbox == .off
            ? .inProcess
            : system.launcher.map { launcher in
                WorkerPool(
                    launcher: launcher, count: options.jobs ?? ProcessorCount.usable, memoryBytes: memory.limit,
                    scope: [.browse, .list, .resize].contains(command) ? .allFormats : .foreignFormats)
            }
        scratchFolder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        do throws(BatchError) {
            let text = options.resize.shard
            shard = try text.map { (text) throws(BatchError) in try Shard(parsing: text) { environment[$0] } }
        } catch { throw Failure(error) }

        theme = command == .browse ? try Self.theme(options.theme) : Theme()
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.local/share" : nil }
        dataFolder = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        downloadFolder = environment["XDG_DOWNLOAD_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? ""
        isRemote = environment["SSH_CONNECTION"]?.isEmpty == false
        var preferences = file
        // A folder is opened, not searched: the next search uses the source in the settings.
        if let source = options.source, source != .folder {
            preferences.source = source.name
        } else if options.archive != nil, SourceDeclaration(name: preferences.source)?.usesNetwork == false {
            // An archive never holds responses of a source that uses no network.
            preferences.source = SourceDeclaration.nasa.name
        }
        preferences.color = options.color ?? file.color
        preferences.diskLimit = diskLimit?.value
        if let name = options.theme { preferences.theme = Theme.names.contains(name) ? name : nil }
        self.preferences = preferences
    }

    /// Asks the terminal for what its name and version leave open, and for the colours that `show` uses.
    private static func learn(
        _ terminal: inout TerminalCapabilities, _ command: Command, _ chosen: PixelMode?, _ options: Options,
        _ system: SystemServices, _ folder: UserFolder?
    ) {
        guard terminal.isTerminal else { return }
        let mode = chosen ?? terminal.pixels.value
        let asksPalette = command == .show && terminal.color.value == .palette16 && mode.symbols != nil
        guard asksPalette || chosen == nil && terminal.support.needsAnswers else { return }
        switch reply(of: terminal.support, command, asksPalette: asksPalette, options, system, folder) {
        case .answered(let answers): terminal.learn(answers)
        case .silent: terminal.support.isSilent = true
        case .notAsked: break
        }
    }

    /// Asks the terminal, unless it was silent minutes ago; over ssh its replies to the browser count.
    private static func reply(
        of support: PixelSupport, _ command: Command, asksPalette: Bool = false, _ options: Options,
        _ system: SystemServices, _ folder: UserFolder?
    ) -> TerminalQuery.Outcome {
        let store = folder.map { StateStore(folder: $0) { Console(system, options).note($0) } }
        let file = store.map(TerminalsFile.init)
        if support.isRemote {
            let known = file?.answers(of: support.key, now: system.now())
            return known.flatMap { $0.isComplete ? .answered($0) : nil } ?? .notAsked
        }
        // The browser itself asks later.
        guard command != .browse else { return .notAsked }
        // Another window may reply in time.
        let device = "\(support.key) device=\(system.device() ?? "")"
        if file?.answers(of: device, now: system.now()) != nil { return .silent }
        let outcome = system.ask(asksPalette)
        // Without the file it is asked again.
        if outcome == .silent, options.keepsHistory {
            try? file?.remember(TerminalAnswers(), of: device, now: system.now())
        }
        return outcome
    }

    /// The size of a previewer's window, which is a part of the terminal behind it: fzf's, or as shells name it.
    private static func previewSize(_ environment: Environment, _ screen: CellSize) -> Resolved<CellSize>? {
        for names in [("FZF_PREVIEW_COLUMNS", "FZF_PREVIEW_LINES"), ("COLUMNS", "LINES")] {
            let columns = environment[names.0].flatMap { CellSize.side($0.utf8) }
            let rows = environment[names.1].flatMap { CellSize.side($0.utf8) }
            guard columns != nil || rows != nil else { continue }
            return Resolved(
                CellSize(clamping: columns ?? screen.columns, rows ?? screen.rows), evidence: "\(names.0), \(names.1)")
        }
        return nil
    }

    /// Asks the terminal for its background; `nil` if it does not reply.
    func askedBackground(_ system: SystemServices) -> RGB? {
        let reply = Self.reply(of: terminal.support, .show, options, system, stateFolder)
        return if case .answered(let answers) = reply { answers.background } else { nil }
    }

    private static let fileName = "the settings file"

    private static func resolve<Value>(_ option: Value?, _ name: String, _ file: Value? = nil) -> Resolved<Value>? {
        option.map { Resolved($0, evidence: name) } ?? file.map { Resolved($0, evidence: fileName) }
    }

    private static func read(_ folder: UserFolder) -> (preferences: Preferences, problem: String?) {
        do throws(Failure) { return (try SettingsFile(store: StateStore(folder: folder)).read(), nil) } catch {
            return (Preferences(), error.message)
        }
    }

    static func defaultMemoryLimit(of command: Command) -> Resolved<Int>? {
        switch command {
        // Each image is printed once; only early repeats hit the cache.
        case .list: return Resolved(8 << 20, evidence: "the default")
        // Three screens of thumbnails take less than 1 MiB; the rest serves scrolling back.
        case .browse, .doctor: return Resolved(32 << 20, evidence: "the default")
        default: return nil
        }
    }

    private static func theme(_ name: String?) throws(Failure) -> Theme {
        guard let name else { return Theme() }
        if let theme = Theme(named: name) { return theme }
        do {
            if let bytes = try UserFolder.read(path: name) { return try Theme(parsing: bytes, file: name) }
        } catch { throw .usage("--theme: \(error)") }
        throw .usage("--theme \(name): no such file or theme; themes: \(Theme.names.joined(separator: ", "))")
    }

    /// The query of the operands: words, or for `--source folder` paths.
    func query(_ operands: [Argument]) throws(Failure) -> PhotoQuery {
        guard source == .folder else { return try options.query(operands.map(\.text), in: source) }
        var query = try options.query([], in: source)
        query.paths = (operands.isEmpty ? ["."] : operands).map { LocalFile.absolutePath($0.bytes) }
        return query
    }

    /// The maximum read from standard input or a pipe: the growing buffer is copied, and then exists twice.
    var pipedBytes: Int { min(self.limits.bodyBytes, workMemory.limit / 2) }

    /// The characters of images: an option overrides the locale.
    var imageGlyphs: GlyphSet { namedSymbols == nil ? terminal.glyphs.value : .utf8 }

    /// A note on the pixel mode that an option names, if it may surprise.
    var pixelsNote: String? {
        guard let mode = namedSymbols else { return unsupportedNote }
        if terminal.color.value == .monochrome {
            return "--pixels \(mode) shows nothing without colours (\(terminal.color.evidence)); add --color"
        }
        guard terminal.glyphs.value == .ascii else { return unsupportedNote }
        return "--pixels \(mode) prints UTF-8 (\(terminal.glyphs.evidence)); if it looks wrong, use --pixels half"
    }

    /// A note on a pixel mode that an option names and the terminal does not support.
    private var unsupportedNote: String? {
        guard let mode = self.options.pixels, terminal.isTerminal, terminal.color.value != .monochrome,
            terminal.glyphs.value == .utf8,
            let known = terminal.support.candidates.first(where: { $0.mode == mode })
        else { return nil }
        // By default tmux does not pass the sequences on.
        guard known.isSupported == false || (known.isSupported == nil && terminal.isInsideTmux) else { return nil }
        let state = known.isSupported == false ? "not supported" : "not known to be supported"
        return "--pixels \(mode): \(state) by this terminal (\(known.evidence)); images may be missing"
    }

    private var namedSymbols: PixelMode? {
        self.options.pixels.flatMap { $0 != .half && $0.symbols != nil ? $0 : nil }
    }

    /// Whether commands lock themselves.
    var isSandboxed: Bool { self.sandbox == .on }
    var addressTrust: NetworkReach { self.isPublicOnly ? .publicAddresses : .any }
    var decoder: ImageDecoder {
        var decoder = ImageDecoder(limits: self.limits, memory: workMemory, workers: workers)
        decoder.options.stretch = self.options.stretch
        return decoder
    }
    var replayedArchive: ArchiveTransport? { self.archive.map { ArchiveTransport(folder: $0, memory: workMemory) } }

    /// The cache of decoded images; `nil`: the pipeline's own.
    func makeMemoryCache() -> ImagePipeline.Memory? {
        memoryLimit.map { ImagePipeline.Memory(totalCostLimit: $0.value) }
    }
}
