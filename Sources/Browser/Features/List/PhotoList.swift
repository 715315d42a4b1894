internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// The results of a search, as far as they are loaded.
///
/// Photos have positions in the results, from 0, which do not change when pages come before them. A filter has positions of
/// its own.
struct PhotoList: Sendable {
    /// The number of the search; repeating it takes a new one.
    var generation: Int
    var search: String
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
    var selected = 0 { didSet { if selected != oldValue { (picture, isClicked) = (1, false) } } }
    /// Whether a click selected the photo: a photo that is shown whole does not scroll then, so that a double click hits it twice.
    var isClicked = false
    /// The number of the selected photo's picture, from 1; only one photo in full shows others.
    var picture = 1
    /// The first row on the screen; a row is one photo in a list, `columns` photos in a grid.
    var topRow = 0
    var direction = Direction.down
    /// Where the range of marks starts that the selection ends; `nil` while none is open.
    var rangeStart: Int?
    /// Filters under which marks were inverted: photos that they leave are inverted when their pages come.
    var inversions: [FuzzyPattern] = []
    /// The use of the awaited first page; `nil` once it has come or failed.
    var awaited: Arrival?
    /// The use of a first page that failed; the user must retry.
    var failed: Arrival?
    /// Whether a refresh shows no notice.
    var isQuiet = false
    /// The position to select once its page has come; `.max` is that of the last photo of the next page.
    var destination: Int?
    var ids: Set<PhotoID> = []
    var completed: Set<PhotoID> = []
    /// Files whose headers were requested last.
    var reading: Set<PhotoID> = []
    var pagesWithoutNewPhotos = 0
    /// The filter; while there is one, positions count only what it leaves, from 0.
    var filter: ListFilter?

    enum Arrival: Hashable, Sendable {
        case selects(Int)
        case opens(page: Int)
        case finds(PhotoID)
        /// Keeps the selected photo, and its row on the screen.
        case keeps(photoID: PhotoID, position: Int)

        var isRefresh: Bool { if case .keeps = self { true } else { false } }
    }

    enum Direction: Hashable, Sendable { case up, down }

    var positions: Range<Int> { if let count = filter?.matches.count { 0..<count } else { loaded } }
    /// Whether the source has photos that are not loaded, which a filter does not see.
    var isPartlyLoaded: Bool { !isAtStart || !isAtEnd }
    /// Whether a folder has files that are not loaded, but can be; beyond some number, every key of a filter would take seconds.
    var hasFilesToLoad: Bool {
        isLocal && failed == nil && photos.count < Self.maxFilesLoaded
            && (!isAtEnd && nextProblem == nil || !isAtStart && previousProblem == nil)
    }
    /// Whether files of a folder are still loaded for a filter, or to invert the marks of all.
    var needsAllFiles: Bool { hasFilesToLoad && (filter != nil || !inversions.isEmpty) }
    /// Whether the photos that an action is meant for have yet to come, after `G` or `*`: it would hit others.
    func isOnTheWay(for action: Action) -> Bool {
        let isJump = awaited.map { !$0.isRefresh } ?? false
        return switch action {
        case .trash, .save, .export, .command: isJump || isLocal && destination != nil || !inversions.isEmpty
        case .mark, .markRange, .open, .copyAddress, .openPage, .openPicture: isJump || isLocal && destination != nil
        default: false
        }
    }
    var isSingle: Bool { photos.count == 1 && isAtStart && isAtEnd }

    var lastKnownPosition: Int {
        if case .exact(let count)? = total { max(count, loaded.upperBound) - 1 } else { loaded.upperBound - 1 }
    }

    /// Returns a photo; it has the chosen picture alone if that is not the first.
    func photo(at position: Int) -> Photo? {
        let photo = wholePhoto(at: position)
        return position == selected && picture > 1 ? photo?.picture(picture) : photo
    }

    func wholePhoto(at position: Int) -> Photo? { index(at: position).map { photos[$0] } }

    var selectedPhoto: Photo? { photo(at: selected) }
    var wholeSelectedPhoto: Photo? { wholePhoto(at: selected) }
    var pictureCount: Int { wholeSelectedPhoto?.pictureCount ?? 1 }
}

// MARK: - Moving

extension PhotoList {
    mutating func select(_ position: Int) {
        guard !positions.isEmpty else {
            selected = 0
            return
        }
        let before = selected
        selected = min(max(position, positions.lowerBound), positions.upperBound - 1)
        if selected != before { direction = selected > before ? .down : .up }
    }

    mutating func move(rows: Int, in geometry: ListGeometry) {
        guard !positions.isEmpty else { return }
        let first = geometry.row(of: positions.lowerBound)
        let last = geometry.row(of: positions.upperBound - 1)
        let row = min(max(geometry.row(of: selected) + rows, first), last)
        select(row * geometry.columns + selected % geometry.columns)
    }

    mutating func move(screens: Int, in geometry: ListGeometry) {
        let rows = screens * geometry.rowsWhole
        move(rows: rows, in: geometry)
        topRow += rows
    }

    mutating func scroll(rows: Int, in geometry: ListGeometry) {
        guard !positions.isEmpty else { return }
        let limits = topRows(in: geometry)
        topRow = min(max(topRow + rows, limits.lowerBound), limits.upperBound)
        direction = rows > 0 ? .down : .up
        let context = Self.context(in: geometry)
        let upper = topRow > limits.lowerBound ? topRow + context : topRow
        let lower = topRow + geometry.rowsWhole - 1 - (topRow < limits.upperBound ? context : 0)
        let row = geometry.row(of: selected)
        if row < upper { move(rows: upper - row, in: geometry) }
        if row > lower { move(rows: lower - row, in: geometry) }
    }

    /// Scrolls until the whole selection is visible, with a row of context if that fits.
    mutating func keepSelectionVisible(in geometry: ListGeometry) {
        guard !positions.isEmpty else {
            topRow = 0
            return
        }
        select(selected)
        let row = geometry.row(of: selected)
        let rows = geometry.rowsWhole
        let context = isClicked ? 0 : Self.context(in: geometry)
        let limits = topRows(in: geometry)
        let top = max(min(topRow, row - context), row + context - rows + 1)
        topRow = min(max(top, limits.lowerBound), limits.upperBound)
    }

    mutating func reflow(from old: ListGeometry, to new: ListGeometry) {
        let offset = old.row(of: selected) - topRow
        topRow = new.row(of: selected) - offset * new.rowsWhole / old.rowsWhole
        keepSelectionVisible(in: new)
    }

    /// Returns the valid first rows: the last shows the end line, the first leaves room above for pages to come.
    private func topRows(in geometry: ListGeometry) -> ClosedRange<Int> {
        let first = geometry.row(of: positions.lowerBound)
        let last = geometry.row(of: max(positions.upperBound - 1, positions.lowerBound))
        let rows = geometry.rowsWhole
        let hasRoomBelow = geometry.area.rows > rows * geometry.itemRows
        let endRows = hasRoomBelow || rows < 2 ? 0 : 1
        let lowest = isAtStart || filter != nil ? first : max(first - geometry.rowsInPart + 1, 0)
        return lowest...max(last + endRows - rows + 1, first)
    }

    private static func context(in geometry: ListGeometry) -> Int { geometry.rowsWhole >= 3 ? 1 : 0 }

    private static let maxFilesLoaded = 100_000
    /// Larger positions are taken for errors.
    private static let lastPosition = 1 << 32
    /// Consecutive pages without a new photo that count as the end.
    private static let maxPagesWithoutNewPhotos = 3

    init(generation: Int, search: String, query: PhotoQuery, source: String, at start: PhotoStart) {
        self.init(generation: generation, search: search, query: query, source: source)
        switch start {
        case .page(let number): expect(.opens(page: number))
        case .position(let position): expect(.selects(position))
        case .photo(let id, _): expect(.finds(PhotoID(id)))
        }
    }

    mutating func expect(_ arrival: Arrival) {
        (awaited, failed) = (arrival, nil)
        (isLoadingNext, isLoadingPrevious) = (true, false)
        (nextProblem, previousProblem) = (nil, nil)
        destination = nil
        reading = []
        inversions = []
    }

    /// The use of a page that lists the same photos again.
    var again: Arrival { selectedPhoto.map { .keeps(photoID: $0.key, position: selectedResult) } ?? .selects(0) }

    /// The start of the awaited page, or of the one that failed.
    var awaitedStart: PhotoStart {
        switch awaited ?? failed {
        case .opens(let page): .page(page)
        case .finds(let photoID): .photo(id: photoID.text, or: 0)
        // A folder may have changed.
        case .keeps(let photoID, let position) where isLocal:
            .photo(id: photoID.text, or: min(max(position, 0), Self.lastPosition))
        case .selects(let position), .keeps(_, let position): .position(min(max(position, 0), Self.lastPosition))
        case nil: .first
        }
    }

    mutating func replace(with answer: PageAnswer, in geometry: ListGeometry) {
        let position = awaitedStart.position
        let offset = geometry.row(of: selected) - topRow
        let wanted = selectedPhoto?.key
        let before = selectedResult
        let read = photos.filter { $0.file != nil && completed.contains($0.key) }
        let known = Dictionary(read.map { ($0.key, $0) }) { $1 }
        ids = []
        photos = newPhotos(among: answer.photos)
        firstPosition = answer.isAtStart ? 0 : min(max(answer.firstPosition ?? position ?? 0, 0), Self.lastPosition)
        isAtStart = answer.isAtStart || photos.isEmpty
        isAtEnd = answer.isAtEnd || photos.isEmpty
        total = answer.total
        completed = []
        // What was read of a file holds until it changes.
        for index in photos.indices {
            guard let photo = known[photos[index].key], photo.file == photos[index].file else { continue }
            photos[index] = photo
            completed.insert(photo.key)
        }
        reading = []
        pagesWithoutNewPhotos = 0
        isLoadingNext = false
        switch awaited {
        case .keeps(let photoID, _):
            let index = [wanted, photoID].compactMap { id in photos.firstIndex { $0.key == id } }.first
            filterAgain(near: index ?? before - firstPosition)
            topRow = geometry.row(of: selected) - offset
        case .finds(let photoID):
            filterAgain(near: photos.firstIndex { $0.key == photoID } ?? 0)
            topRow = geometry.row(of: selected) - 1
        case .opens, .selects, nil:
            filterAgain(near: (position ?? firstPosition) - firstPosition)
            topRow = geometry.row(of: selected) - 1
        }
        (awaited, failed) = (nil, nil)
        settleTotal()
        approach()
    }

    /// Adds a page; shifts all positions and the selection if the estimated first position was wrong.
    ///
    /// Returns the new photos.
    mutating func add(_ answer: PageAnswer, _ direction: PageDirection, in geometry: ListGeometry) -> [Photo] {
        let new = newPhotos(among: answer.photos)
        pagesWithoutNewPhotos = new.isEmpty ? pagesWithoutNewPhotos + 1 : 0
        let isLast = answer.photos.isEmpty || pagesWithoutNewPhotos >= Self.maxPagesWithoutNewPhotos
        total = answer.total ?? total
        defer { settleTotal() }
        switch direction {
        case .next:
            photos += new
            filter(photos.count - new.count..<photos.count)
            isLoadingNext = false
            isAtEnd = answer.isAtEnd || isLast
            approach()
        case .previous:
            let index = selectedResult - firstPosition
            let (before, offset) = (selected, geometry.row(of: selected) - topRow)
            photos.insert(contentsOf: new, at: 0)
            firstPosition -= new.count
            let matches = filter?.matches ?? []
            filter?.matches = []
            filter(0..<new.count)
            filter?.matches += matches.map { $0 + new.count }
            select(near: index + new.count)
            if filter != nil {
                rangeStart = rangeStart.map { max($0 + selected - before, 0) }
                topRow = geometry.row(of: selected) - offset
            }
            isLoadingPrevious = false
            isAtStart = answer.isAtStart || isLast
            if firstPosition < 0 || isAtStart { shift(by: -firstPosition, in: geometry) }
            if destination != .max || filter != nil { approach() }
        }
        return new
    }

    /// Selects the destination, or the photo nearest to it while its page has not come; under a filter, until all files have come.
    private mutating func approach() {
        guard let destination else { return }
        select(destination)
        guard filter == nil else {
            if !hasFilesToLoad { self.destination = nil }
            return
        }
        let isAtLimit = destination < loaded.lowerBound ? isAtStart : isAtEnd
        if destination == .max || loaded.contains(destination) || isAtLimit { self.destination = nil }
    }

    mutating func fail(_ direction: PageDirection, _ problem: BrowserError) {
        destination = nil
        let isFirst = awaited != nil
        if isFirst { (failed, awaited) = (awaited, nil) }
        if isFirst || direction == .next {
            isLoadingNext = false
            nextProblem = problem
        } else {
            isLoadingPrevious = false
            previousProblem = problem
        }
    }

    mutating func complete(_ photo: Photo, id: PhotoID) {
        guard photo.key == id else { return }
        // Nearly always the selected photo.
        let isSelected = selectedPhoto?.key == id
        let index = isSelected ? self.index(at: selected) : photos.firstIndex { $0.key == id }
        guard let index else { return }
        photos[index] = photo
        completed.insert(id)
    }

    private mutating func newPhotos(among photos: [Photo]) -> [Photo] { photos.filter { ids.insert($0.key).inserted } }

    private mutating func shift(by distance: Int, in geometry: ListGeometry) {
        let offset = geometry.row(of: selected) - topRow
        firstPosition += distance
        guard filter == nil else { return }
        let kept = (picture, isClicked)
        selected = max(selected + distance, 0)
        (picture, isClicked) = kept
        rangeStart = rangeStart.map { max($0 + distance, 0) }
        topRow = geometry.row(of: selected) - offset
    }

    private mutating func settleTotal() {
        guard let known = total else { return }
        let least = loaded.upperBound
        let isEstimate = if case .estimate = known { true } else { false }
        if known.number < least || isAtEnd && isEstimate { total = isAtEnd ? .exact(least) : .estimate(least) }
    }
}
