internal import SpyglassCatalog

/// The photos of one search, as far as they have been read, and where the user is among them.
///
/// Photos are known by their position in the results, from 0: it stays when pages are put before them.
struct PhotoList: Sendable {
    /// The number of the search; a newer one when the same is searched again.
    var generation: Int
    /// What was typed.
    let search: String
    let query: PhotoQuery
    /// Where.
    let source: String
    /// What has been read: a window in the results.
    var photos: [Photo] = []
    /// The position of the first of them.
    var firstPosition = 0
    /// How many there are, as the source says.
    var total: PhotoPage.Total?
    /// Whether nothing comes before, and behind.
    var isAtStart = true
    var isAtEnd = false
    /// Which pages are being read.
    var isLoadingNext = false
    var isLoadingPrevious = false
    /// Why the page behind or before could not be read: no more is asked for until the user retries.
    var nextProblem: Problem?
    var previousProblem: Problem?
    /// The chosen photo's position.
    var selected = 0
    /// The first row of photos on the screen (a photo is a row in a list, `columns` of them in a grid).
    var topRow = 0
    /// Which way the user is going.
    var direction = Direction.down
    /// What the first page of the search is to do when it comes; `nil` when it has come or failed.
    var awaited: Arrival?
    /// What the first page was to do when it failed: no page is asked for until the user retries.
    var failed: Arrival?
    /// Whether the selection goes to the end of the next page when that comes.
    var followsEnd = false
    /// The ids of `photos`.
    var ids: Set<String> = []
    /// The ids of photos of which the source has told everything.
    var completed: Set<String> = []
    /// Pages in a row that brought nothing new.
    var barrenPages = 0

    /// What the first page of a search does with the place of the user.
    enum Arrival: Hashable, Sendable {
        /// A place in the results becomes the selection: a new search, or a jump.
        case selects(Int)
        /// The first photo of a page of the source becomes the selection.
        case opens(page: Int)
        /// The photo that was selected stays it, and where it stands on the screen.
        case keeps(photoID: String, position: Int)

        /// Whether the server is to be asked, whatever caches hold.
        var isRefresh: Bool { if case .keeps = self { true } else { false } }
    }

    /// Whether what is on the screen will be replaced as a whole by an answer that is awaited.
    var isRefreshing: Bool { awaited != nil && !photos.isEmpty }

    enum Direction: Hashable, Sendable {
        case up, down
    }

    /// Positions that have been read.
    var positions: Range<Int> { firstPosition..<firstPosition + photos.count }

    /// Where the last photo stands, as far as anybody knows.
    var lastKnownPosition: Int {
        if case .exact(let count)? = total { max(count, positions.upperBound) - 1 } else { positions.upperBound - 1 }
    }

    /// The photo at a position, if it has been read.
    func photo(at position: Int) -> Photo? {
        positions.contains(position) ? photos[position - firstPosition] : nil
    }
}
