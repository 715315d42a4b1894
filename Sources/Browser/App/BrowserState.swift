package import SpyglassCatalog
internal import SpyglassPipeline
package import SpyglassPixels
package import SpyglassTerminalUI

/// The state of the browser: a value that only `update` changes and `BrowserView` draws.
struct BrowserState: Sendable {
    var traits: TerminalTraits
    var preferences: Preferences
    var options: BrowserOptions
    /// The stack of screens: never empty, `home` first, the last one gets the keys.
    var screens: [Screen] = [.home(SearchScreen())]
    var list: PhotoList?
    /// The folders around that of the list, the outermost first.
    var parents: [PhotoList] = []
    /// Whether the folder has changed since it was listed.
    var isFolderChanged = false
    /// Whether the program was started with files whose first page has not come.
    var opensSingleFile = false
    var pictures: [PictureKey: Picture] = [:]
    /// Which animations play.
    var animates = AnimationChoice.selected
    /// The last requests to play, to emit only changes.
    var playing: [PictureKey] = []
    /// The frames that are shown instead of the pictures.
    var frames: [PictureKey: CellImage] = [:]
    /// Of parts of originals in transfer.
    var transferProgress: [PictureKey: BodyProgress] = [:]
    /// The last requests, to emit only changes.
    var requests = PictureRequests()
    var history: [RecentSearch] = []
    var place: SavedPlace?
    var marks = Marks()
    /// The photos that were seen last.
    var seenPhotos: [HomePhoto] = []
    /// The day's picture, and pictures that came with the program.
    var homeOffers: [HomePhoto] = []
    var activity = Activity()
    var notice: Notice?
    /// The number of the newest search; older results are dropped.
    var generation = 0
    /// Images on the screen after the last event; a failed image is retried when it becomes visible.
    var seen: Set<PictureKey> = []
    var revalidating: Set<PictureKey> = []
    /// Failed large images, replaced by previews until the user retries.
    var lostRenditions: Set<ImageSource> = []
    /// Failed previews of photos that have a spare one, until the user retries.
    var lostPreviews: Set<ImageSource> = []
    /// Files that no part of a photo could be decoded from; the whole photo may be well.
    var lostParts: Set<ImageSource> = []
    var isAnimated = false
    /// The photo whose time in a slideshow runs.
    var timedSlide: String?
    var isOver = false
    var terminalDepth: ColorDepth
    /// The ways to draw images that the terminal supports; `nil`: the traits never change.
    var pixelSupport: PixelSupport?
    /// What it has replied in this run; complete replies replace those of an earlier one.
    var replies = TerminalAnswers()
    var effects: [BrowserEffect] = []
    let theme: Theme

    init(
        traits: TerminalTraits, preferences: Preferences = Preferences(), options: BrowserOptions = BrowserOptions(),
        theme: Theme = Theme()
    ) {
        self.traits = traits
        self.theme = theme
        self.preferences = preferences
        self.options = options
        animates = preferences.animates
        terminalDepth = options.terminalDepth ?? traits.depth
        pixelSupport = options.pixelSupport
    }

    var top: Screen { screens[screens.count - 1] }

    var geometry: ListGeometry {
        let margins = theme.sheet(for: traits, chosen: preferences.theme).margins
        return ListGeometry(
            screen: traits.size, preferences: preferences, showsImages: options.showsImages, margins: margins)
    }

    /// The geometry of the photo in full, or else of the selected one.
    var detailGeometry: DetailGeometry { detailGeometry(of: list?.photo(at: list?.selected ?? 0)) }
}

package struct TerminalTraits: Hashable, Sendable {
    package var size: CellSize
    package var depth = ColorDepth.truecolor
    package var glyphs = GlyphSet.utf8
    package var aspect = CellAspect.standard
    /// The pixels of a cell; `nil` where nothing tells.
    package var cellPixels: PixelSize? {
        didSet { aspect = cellPixels.flatMap { CellAspect($0) } ?? aspect }
    }
    /// How one photo in full is drawn.
    package var pixels = PixelMode.half
    /// How the photos of lists and grids are drawn.
    package var listPixels = PixelMode.half
    /// The longest side of a sixel picture in pixels, at first xterm's; `nil`: no limit.
    package var maxSixelSide: Int? = 1000
    /// Whether kitty images are drawn by placeholders.
    package var usesPlaceholders = false
    /// Whether sequences are wrapped for tmux.
    package var isInsideTmux = false
    /// Whether palettes of 256 and 16 colours diffuse their error, in one photo in full.
    package var dithers = true
    /// The sixteen colours.
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
    package var isOffline = false
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
    /// The bytes of the caches where no limit was chosen.
    package var automaticMemory: Int?
    package var automaticDisk: Int?

    package init() {}
}

struct Activity: Hashable, Sendable {
    var transfers = 0
    var phase = 0
    /// Whether stale responses are shown, since the server is unreachable.
    var isStale = false
}

enum Notice: Hashable, Sendable {
    case copied(String)
    case mouse(isOn: Bool)
    case animation(isOn: Bool)
    case opened(String)
    case link(String)
    case cannotOpen(String)
    case saved(path: String)
    /// A smaller file than the original, and why.
    case savedSmaller(path: String, String)
    case savedAll(Int, folder: String)
    case exported(Int, folder: String)
    /// The picture for the viewer is on its way.
    case fetching
    case cannotView(String)
    case noViewer
    case saveCancelled
    case nothingToCopy
    case nothingToSave
    case noPage
    case foldersHaveNoMarks
    case refreshed
    case sorted(FolderOrder)
    case failed(BrowserError)
    case nothingNewer
    case cannotEnlarge(FailureKind)
    case problem(String)
    case waiting(String)

    /// Whether it fades by itself; others stay until the next key.
    var isWarning: Bool {
        switch self {
        case .problem, .waiting, .failed, .cannotOpen, .cannotView, .nothingNewer, .cannotEnlarge, .savedSmaller: true
        default: false
        }
    }
}
