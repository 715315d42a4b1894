internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassTerminalUI

enum Screen: Hashable, Sendable {
    case home(SearchScreen)
    case list
    case detail(DetailScreen)
    case search(SearchScreen)
    case help(scroll: Int)
    case settings(SettingsScreen)
    case alert(Alert)
    case save(SaveScreen)
    case info(InfoScreen)
}

struct SearchScreen: Hashable, Sendable {
    /// A change also deselects the line and removes the mistake.
    var field = TextField() {
        didSet { (choice, mistake) = (nil, nil) }
    }
    var draft = ""
    /// The chosen line under the field; `nil` while the caret is in the field.
    var choice: Int?
    var mistake: SearchSyntaxError?
}

enum SearchChoice: Hashable, Sendable {
    case resume(SavedPlace)
    case recent(RecentSearch)
    case suggestion(String)
    /// A picture above the field; these are the last.
    case photo(HomePhoto)

    var isPhoto: Bool { if case .photo = self { true } else { false } }
}

package enum SearchSyntaxError: Hashable, Sendable {
    /// `colour:red`: not a filter of the source.
    case unknownFilter(String, known: [String])
    /// `year:soon`: not a value of the filter.
    case badValue(String, filter: String, examples: [String])
    /// `center:` without a value.
    case emptyFilter(String)
}

struct TextField: Hashable, Sendable {
    var before = ""
    var after = ""

    var text: String { before + after }

    init(_ text: String = "") { before = text }
}

struct DetailScreen: Hashable, Sendable {
    var position: Int
    var scroll = 0
    var isComplete = false
    /// The photo that `scroll`, `ratio` and `size` belong to, its picture, and its contents if it is a local file.
    var photoID: String?
    var picture = 1
    var file: LocalFile?
    /// The width of the picture by its height, as far as it is known; kept, since it decides the layout.
    var ratio: Double?
    /// Whether `ratio` is that of the picture, not what its source or thumbnail says.
    var isRatioCertain = false
    /// The largest size that a decoded file has told; kept, since it decides which part is visible.
    var size: PixelSize?
    /// Whether a narrow screen shows all text instead of the picture.
    var showsText = false
    var isFullScreen = false
    /// Whether Escape leads from the full screen to the list.
    var isFromList = false
    var slideshow: Slideshow?
    /// Whether the line of the full screen has been shown long enough.
    var hidesLine = false
    var zoom = Zoom.fit
    /// The cell that holds the picture while the button is down.
    var dragged: CellPosition?
}

/// The facts of the selected photo, over a list or one photo.
struct InfoScreen: Hashable, Sendable {
    let photoID: String
    var scroll = 0
    /// `nil` until they are read, and for remote photos.
    var facts: PhotoFacts?
}

struct SettingsScreen: Hashable, Sendable {
    enum Row: CaseIterable, Hashable, Sendable {
        case source, arrangement, density, color, pixels, animations, slideshow, theme, language, memoryLimit,
            diskLimit,
            safeSearch, mouse
    }

    /// Those that change something: none about images without them.
    static func rows(of options: BrowserOptions) -> [Row] {
        let ofImages: Set<Row> = [.arrangement, .pixels, .animations, .slideshow, .memoryLimit]
        return Row.allCases.filter { options.showsImages || !ofImages.contains($0) }
    }

    var chosen = Row.source
    /// The source before changes, which take effect when the screen is left.
    var openedWith: String?
}

struct Alert: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case search(String)
        case folder(String)
        /// With what a retry saves; the selection may have changed.
        case save(SaveScreen)
    }

    var subject: Subject
    var error: BrowserError
    /// Searches that need no network, where there is none.
    var offers: [RecentSearch] = []
    /// The chosen one of them; `nil` while Enter retries.
    var choice: Int?
}
