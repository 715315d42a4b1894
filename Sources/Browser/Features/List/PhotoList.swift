internal import SpyglassCatalog

/// Photos have positions in the results, from 0, which do not change when pages come before them.
///
/// A filter has positions of its own.
struct PhotoList: Sendable {
    /// The number of the search; repeating it takes a new one.
    var generation: Int
    let search: String
    var query: PhotoQuery
    let source: String
    var photos: [Photo] = []
    var firstPosition = 0
    var total: PhotoPage.Total?
    var isAtStart = true
    var isAtEnd = false
    var isLoadingNext = false
    var isLoadingPrevious = false
    /// Why a page failed; the user must retry.
    var nextProblem: BrowserError?
    var previousProblem: BrowserError?
    var selected = 0 {
        didSet { if selected != oldValue { picture = 1 } }
    }
    /// The number of the selected photo's picture, from 1; only one photo in full shows others.
    var picture = 1
    /// The first row on the screen; a row is one photo in a list, `columns` photos in a grid.
    var topRow = 0
    var direction = Direction.down
    /// Where the range of marks starts that the selection ends; `nil` while none is open.
    var rangeStart: Int?
    /// What the first page will do; `nil` once it has come or failed.
    var awaited: Arrival?
    /// What the failed first page was to do; the user must retry.
    var failed: Arrival?
    /// Whether a refresh shows no notice.
    var isQuiet = false
    /// Whether to select the last photo of the next page.
    var followsEnd = false
    var ids: Set<String> = []
    var completed: Set<String> = []
    /// Files whose headers were requested last.
    var reading: Set<String> = []
    var pagesWithoutNewPhotos = 0
    /// The filter; while there is one, positions count only what it leaves, from 0.
    var filter: ListFilter?

    enum Arrival: Hashable, Sendable {
        case selects(Int)
        case opens(page: Int)
        /// Keeps the selected photo, and its row on the screen.
        case keeps(photoID: String, position: Int)

        var isRefresh: Bool { if case .keeps = self { true } else { false } }
    }

    enum Direction: Hashable, Sendable {
        case up, down
    }

    /// What can be selected.
    var positions: Range<Int> { if let count = filter?.matches.count { 0..<count } else { loaded } }

    /// Whether the source has photos that are not loaded, which a filter does not see.
    var isPartlyLoaded: Bool { !isAtStart || !isAtEnd }

    /// Whether its only photo is loaded.
    var isSingle: Bool { photos.count == 1 && isAtStart && isAtEnd }

    var lastKnownPosition: Int {
        if case .exact(let count)? = total { max(count, loaded.upperBound) - 1 } else { loaded.upperBound - 1 }
    }

    /// Has the chosen picture alone if it is another than the first.
    func photo(at position: Int) -> Photo? {
        let photo = wholePhoto(at: position)
        return position == selected && picture > 1 ? photo?.picture(picture) : photo
    }

    /// With the files of all its pictures.
    func wholePhoto(at position: Int) -> Photo? {
        index(at: position).map { photos[$0] }
    }

    /// The number of pictures of the selected photo.
    var pictureCount: Int { wholePhoto(at: selected)?.pictureCount ?? 1 }
}
