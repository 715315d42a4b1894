package import SpyglassCatalog
internal import SpyglassFetching
package import SpyglassTerminalUI

/// Everything that the browser shows and remembers: a value, changed by `update` alone and drawn by `view` alone.
struct BrowserState: Sendable {
    /// What the terminal is like; improves as it answers.
    var traits: TerminalTraits
    /// What the user chose; kept from run to run.
    var preferences: Preferences
    /// What this run was told and nobody can change while it runs; what an archive holds comes after the first frame.
    var options: BrowserOptions
    /// The stack of screens, from the bottom.
    ///
    /// Never empty, `home` first; the last one has the keys.
    var screens: [Screen] = [.home(SearchScreen())]
    /// The answers to the search that `list` and `detail` show.
    var list: PhotoList?
    /// The pictures of what is visible and of a screen on each side.
    var pictures: [PictureKey: Picture] = [:]
    /// What was asked for last, so that it is asked for only when it changes.
    var requests = PictureRequests()
    /// Searches, the newest first, each once.
    var history: [String] = []
    /// Where the last run was left.
    var place: SavedPlace?
    /// What is going on behind the screen.
    var activity = Activity()
    /// One line that goes away with the next key.
    var notice: Notice?
    /// The number of the newest search; an answer to an older one is dropped.
    var generation = 0
    /// The pictures that were on the screen after the last event: one that failed is tried again when it comes into view.
    var seen: Set<PictureKey> = []
    /// Pictures about which the server is asked whether they have changed.
    var revalidating: Set<PictureKey> = []
    /// Large pictures that could not be had: their photos' previews stand in for them until somebody asks again.
    var lostRenditions: Set<WebAddress> = []
    /// Whether `tick` is wanted.
    var isAnimated = false
    /// Whether the program ends: nothing changes any more.
    var isOver = false
    /// How many colours the terminal has, as far as it is known.
    var terminalDepth: ColorDepth
    /// What the event that is being handled wants of the world.
    var effects: [BrowserEffect] = []
    /// The theme of this run, which the user's preference comes before.
    let theme: Theme

    init(
        traits: TerminalTraits, preferences: Preferences = Preferences(), options: BrowserOptions = BrowserOptions(),
        theme: Theme = Theme()
    ) {
        self.traits = traits
        self.theme = theme
        self.preferences = preferences
        self.options = options
        terminalDepth = options.terminalDepth ?? traits.depth
    }

    /// The screen that has the keys.
    var top: Screen { screens[screens.count - 1] }

    /// How the photos of a list stand on this screen.
    var geometry: ListGeometry {
        ListGeometry(screen: traits.size, preferences: preferences, showsImages: options.showsImages)
    }

    /// Where picture and text of one photo stand on this screen.
    var detailGeometry: DetailGeometry { DetailGeometry(screen: traits.size, showsImages: options.showsImages) }
}

/// What is known of the terminal.
package struct TerminalTraits: Hashable, Sendable {
    package var size: CellSize
    package var depth: ColorDepth
    package var glyphs: GlyphSet
    package var aspect: CellAspect
    /// `nil` while the terminal has not told and nobody else has.
    package var background: RGB?
    /// Whether this runs over ssh, so that no program can be opened here for the user.
    package var isRemote: Bool

    package init(
        size: CellSize, depth: ColorDepth = .truecolor, glyphs: GlyphSet = .utf8, aspect: CellAspect = .standard,
        background: RGB? = nil, isRemote: Bool = false
    ) {
        self.size = size
        self.depth = depth
        self.glyphs = glyphs
        self.aspect = aspect
        self.background = background
        self.isRemote = isRemote
    }
}

/// What a run was told.
package struct BrowserOptions: Hashable, Sendable {
    /// Whether pictures are shown at all.
    package var showsImages = true
    /// Whether searches and places are remembered from run to run.
    package var keepsHistory = true
    /// Whether the disk cache alone answers.
    package var isOffline = false
    /// What is shown is an archive's, and what that holds: `'apollo 11', 'earth'`.
    package var archiveHolds: [String]?
    /// The folder of the archive that is shown, if one is.
    package var archive: String?
    /// The names of the sources that can be chosen.
    package var sources = ["nasa", "demo"]
    /// The search filters of each source.
    package var filters = ["nasa": NASASource.filters, "demo": DemoSource.filters]
    /// Searches to offer before there is a history, by the source that they find something in.
    package var suggestions = [
        "nasa": ["apollo 11", "nebula", "earth", "mars rover", "saturn", "hubble"], "demo": DemoSource.suggestions,
    ]
    /// The names of the themes that can be chosen.
    package var themes = ["dark", "light"]
    /// The language of the locale, for who prefers none.
    package var language = Language.english
    /// Where originals are saved: `$XDG_DOWNLOAD_DIR`, else the current folder, as nothing.
    package var downloadFolder = ""
    /// Whether an option or a variable said how many colours there are, so that no answer of the terminal and no setting changes it.
    package var fixesColor = false
    /// Whether an option said what the background is.
    package var fixesBackground = false
    /// How many colours the terminal was found to have, whatever is preferred; `nil` is the look's.
    package var terminalDepth: ColorDepth?

    package init() {}
}

/// What goes on behind the screen.
struct Activity: Hashable, Sendable {
    /// Transfers under way.
    var transfers = 0
    /// Which picture of the spinner is shown; grows while something is under way.
    var phase = 0
    /// Whether an answer that was shown is older than it should be, its server out of reach.
    var isStale = false
}

/// One line for the user, said once.
enum Notice: Hashable, Sendable {
    case copied(String)
    case mouse(isOn: Bool)
    case opened(String)
    /// Over ssh: the link that the user's own terminal can open.
    case link(String)
    case cannotOpen(String)
    case saved(path: String)
    case saveCancelled
    case nothingToCopy
    case nothingToSave
    case noPage
    case refreshed
    /// Something that was asked for did not come.
    case failed(Problem)
    /// The server could not be asked, and a cache answered.
    case nothingNewer
    /// One line of another part: a full disk, settings that cannot be written.
    case problem(String)
}
