package import SpyglassCatalog
package import SpyglassPixels
package import SpyglassTerminalUI

/// The state of the browser: values that only `update` changes and `BrowserView` draws.
struct AppState: Sendable {
    var traits: TerminalTraits
    var preferences: Preferences
    var options: BrowserOptions
    var keys = KeyMap.standard
    let theme: Theme
    var terminal: TerminalKnowledge
    /// The stack of screens: never empty, `home` first, the last one gets the keys.
    var screens: [Screen] = [.home(SearchScreen())]
    var list: PhotoList?
    var images = ImageStore()
    var home = HomeState()
    var folders = FolderState()
    var marks = Marks()
    /// The files that `D` moved to the trash at a time, the last ones at the end.
    var trashed: [[TrashedPhoto]] = []
    /// Commands that were run, the newest first.
    var commands: [String] = []
    var activity = Activity()
    var notice: Notice?
    /// The number of the newest search; older results are dropped.
    var generation = 0
    /// The photo of a slideshow whose timer is running.
    var slideID: PhotoID?
    var isOver = false

    init(
        traits: TerminalTraits, preferences: Preferences = Preferences(), options: BrowserOptions = BrowserOptions(),
        theme: Theme = Theme()
    ) {
        self.traits = traits
        self.theme = theme
        self.preferences = preferences
        self.options = options
        images.animates = preferences.animates
        terminal = TerminalKnowledge(depth: options.terminalDepth ?? traits.depth, pixelSupport: options.pixelSupport)
    }

    var language: Language { preferences.language ?? options.language }
    func number(_ number: Int) -> String { PhotoFormatter(language: language).number(number) }
    var sheet: ThemeSheet { theme.sheet(for: traits, chosen: preferences.theme) }
}

package struct TerminalTraits: Hashable, Sendable {
    package var size: CellSize
    package var depth = ColorDepth.truecolor
    package var glyphs = GlyphSet.utf8
    package var aspect = CellAspect.standard
    /// The pixels of a cell; `nil` if unknown.
    package var cellPixels: PixelSize? { didSet { aspect = cellPixels.flatMap { CellAspect($0) } ?? aspect } }
    /// How images are drawn, on every screen.
    package var pixels = PixelMode.half
    /// The longest side of a sixel picture in pixels, at first xterm's; `nil`: no limit.
    package var maxSixelSide: Int? = 1000
    package var usesPlaceholders = false
    package var isInsideTmux = false
    /// Whether the terminal plays animations that it has been sent once.
    package var playsAnimations = false
    /// Whether the terminal reads kitty images from this machine's shared memory.
    package var sharesMemory = false
    package var palette = TerminalPalette.xterm
    package var background: RGB?
    /// Whether the background is drawn under transparent pixels, since the user named it.
    package var drawsBackground = false
    /// Whether the user is connected by ssh, so no program can be opened here.
    package var isRemote = false

    package init(size: CellSize) { self.size = size }
}

package struct BrowserOptions: Hashable, Sendable {
    package var showsImages = true
    package var keepsHistory = true
    /// Whether the run is for its marks, which are printed at the end and not stored.
    package var picks = false
    package var isOffline = false
    /// Whether alerts have the details of a failed transfer.
    package var isVerbose = false
    /// The searches of the replayed archive: `'apollo 11', 'earth'`.
    package var archiveHolds: [String]?
    package var archive: String?
    package var sources = ["nasa", "demo"]
    package var filters = ["nasa": NASASource.filters, "demo": DemoSource.filters]
    package var suggestions = [
        "nasa": ["apollo 11", "nebula", "earth", "mars rover", "saturn", "hubble"], "demo": DemoSource.suggestions,
    ]
    /// Why a source cannot be searched yet, by its name, such as a missing key.
    package var obstacles: [String: String] = [:]
    package var themes = ["dark", "light"]
    package var language = Language.english
    /// `$XDG_DOWNLOAD_DIR`, or empty for the current folder.
    package var downloadFolder = ""
    /// `$HOME`, shown as `~`; may be empty.
    package var homeFolder = ""
    /// The working folder, from the root; may be empty.
    package var workingFolder = ""
    package var fixesColor = false
    package var fixesBackground = false
    package var fixesCellPixels = false
    package var terminalDepth: ColorDepth?
    package var pixelSupport: PixelSupport?
    /// How images are drawn, whatever the terminal can.
    package var pixels: PixelMode?
    /// The bytes of the caches, if the user chose no limit.
    package var automaticMemory: Int?
    package var automaticDisk: Int?

    package init() {}
}

struct Activity: Hashable, Sendable {
    var transfers = 0
    var phase = 0
    var isSpinning = false
    /// Whether stale responses are shown, since the server is unreachable.
    var isStale = false
}

struct TerminalKnowledge: Sendable {
    /// The colour depth, whatever the user chose.
    var depth: ColorDepth
    /// The ways to draw images; `nil`: the traits never change.
    var pixelSupport: PixelSupport?
    /// The replies in this run; complete ones replace those of an earlier run.
    var replies = TerminalAnswers()
}

extension AppState {
    mutating func learn(_ reply: TerminalReply, _ effects: inout Effects) {
        learnPixels(reply, &effects)
        switch reply {
        case .background(let color): if !options.fixesBackground { traits.background = color }
        case .darkMode: askBackground(&effects)
        case .truecolor(true):
            // Other depths are certain: no colour, or a console's sixteen.
            guard terminal.depth == .palette256 else { return }
            terminal.depth = .truecolor
            if !options.fixesColor, preferences.color == nil { traits.depth = .truecolor }
        default: break
        }
    }

    mutating func learn(cellPixels: PixelSize?) {
        guard let cellPixels, !options.fixesCellPixels else { return }
        traits.cellPixels = cellPixels
    }

    func askBackground(_ effects: inout Effects) {
        if !options.fixesBackground { effects.append(.terminal(.appearance)) }
    }

    /// Draws as an option says, else as well as the terminal can, or by its finest symbols.
    mutating func choosePixels() {
        let support = traits.depth == .monochrome ? nil : terminal.pixelSupport
        let best = preferences.prefersSymbols ? support?.bestSymbols : support?.best
        traits.pixels = options.pixels ?? best?.value ?? .half
        traits.usesPlaceholders = terminal.pixelSupport?.usesPlaceholders ?? false
        traits.playsAnimations = terminal.pixelSupport?.playsAnimations ?? false
        traits.sharesMemory = terminal.pixelSupport?.sharesMemory ?? false
        if let support = terminal.pixelSupport { traits.maxSixelSide = support.maxSixelSide }
    }

    private mutating func learnPixels(_ reply: TerminalReply, _ effects: inout Effects) {
        let before = terminal.replies
        // The window's pixels are for terminals that report nothing else.
        terminal.replies.add(reply, window: traits.cellPixels == nil ? traits.size : nil)
        let replies = terminal.replies
        // Also one that is the same as before a resize.
        if case .cellPixels = reply { learn(cellPixels: replies.cellPixels) }
        guard replies != before else { return }
        if case .windowPixels = reply { learn(cellPixels: replies.cellPixels) }
        traits.palette = replies.palette ?? traits.palette
        guard replies.isComplete, terminal.pixelSupport != nil else { return }
        terminal.pixelSupport?.answers = replies
        choosePixels()
        effects.append(.store(.answers(replies)))
    }
}
