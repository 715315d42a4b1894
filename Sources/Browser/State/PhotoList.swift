internal import SpyglassCatalog

/// The photos of one search, as far as they have been read, and where the user is among them.
///
/// Photos are known by their position in the results, from 0: it stays when pages are put before them.
struct PhotoList: Sendable {
    /// The number of the search.
    let generation: Int
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
    var nextProblem: String?
    var previousProblem: String?
    /// The chosen photo's position.
    var selected = 0
    /// The first row of photos on the screen (a photo is a row in a list, `columns` of them in a grid).
    var topRow = 0
    /// Which way the user is going.
    var direction = Direction.down

    enum Direction: Hashable, Sendable {
        case up, down
    }

    /// Positions that have been read.
    var positions: Range<Int> { firstPosition..<firstPosition + photos.count }

    /// The photo at a position, if it has been read.
    func photo(at position: Int) -> Photo? {
        positions.contains(position) ? photos[position - firstPosition] : nil
    }
}
