internal import SpyglassCatalog

extension PhotoList {
    /// Larger positions are taken for errors.
    private static let lastPosition = 1 << 32
    /// Consecutive pages without a new photo that count as the end.
    private static let maxPagesWithoutNewPhotos = 3

    init(generation: Int, search: String, query: PhotoQuery, source: String, at start: PhotoStart) {
        self.init(generation: generation, search: search, query: query, source: source)
        switch start {
        case .page(let number): expect(.opens(page: number))
        case .position(let position): expect(.selects(position))
        }
    }

    mutating func expect(_ arrival: Arrival) {
        awaited = arrival
        failed = nil
        isLoadingNext = true
        isLoadingPrevious = false
        nextProblem = nil
        previousProblem = nil
        followsEnd = false
        reading = []
    }

    /// The start of the awaited page, or of the one that failed.
    var awaitedStart: PhotoStart {
        switch awaited ?? failed {
        case .opens(let page): .page(page)
        case .selects(let position), .keeps(_, let position): .position(min(max(position, 0), Self.lastPosition))
        case nil: .first
        }
    }

    mutating func replace(with answer: PageAnswer, in geometry: ListGeometry) {
        let position = awaitedStart.position
        let offset = geometry.row(of: selected) - topRow
        let wanted = photo(at: selected)?.id
        let before = selectedResult
        ids = []
        photos = newPhotos(among: answer.photos)
        firstPosition = answer.isAtStart ? 0 : min(max(answer.firstPosition ?? position ?? 0, 0), Self.lastPosition)
        isAtStart = answer.isAtStart || photos.isEmpty
        isAtEnd = answer.isAtEnd || photos.isEmpty
        total = answer.total
        completed = []
        reading = []
        pagesWithoutNewPhotos = 0
        isLoadingNext = false
        switch awaited {
        case .keeps(let photoID, _):
            let index = [wanted, photoID].compactMap { id in photos.firstIndex { $0.id == id } }.first
            filterAgain(near: index ?? before - firstPosition)
            topRow = geometry.row(of: selected) - offset
        case .opens, .selects, nil:
            filterAgain(near: (position ?? firstPosition) - firstPosition)
            topRow = geometry.row(of: selected) - 1
        }
        awaited = nil
        failed = nil
        settleTotal()
    }

    /// Adds a page; shifts all positions and the selection if the estimated first position was wrong.
    mutating func add(_ answer: PageAnswer, _ direction: PageDirection, in geometry: ListGeometry) {
        let new = newPhotos(among: answer.photos)
        pagesWithoutNewPhotos = new.isEmpty ? pagesWithoutNewPhotos + 1 : 0
        let isLast = answer.photos.isEmpty || pagesWithoutNewPhotos >= Self.maxPagesWithoutNewPhotos
        total = answer.total ?? total
        defer { settleTotal() }
        switch direction {
        case .next:
            photos += new
            filter(last: new.count)
            isLoadingNext = false
            isAtEnd = answer.isAtEnd || isLast
            if followsEnd, !new.isEmpty { select(positions.upperBound - 1) }
            followsEnd = false
        case .previous:
            let index = selectedResult - firstPosition
            let (before, offset) = (selected, geometry.row(of: selected) - topRow)
            photos.insert(contentsOf: new, at: 0)
            firstPosition -= new.count
            filterAgain(near: index + new.count)
            if filter != nil {
                rangeStart = rangeStart.map { max($0 + selected - before, 0) }
                topRow = geometry.row(of: selected) - offset
            }
            isLoadingPrevious = false
            isAtStart = answer.isAtStart || isLast
            if firstPosition < 0 || isAtStart { shift(by: -firstPosition, in: geometry) }
        }
    }

    mutating func fail(_ direction: PageDirection, _ problem: BrowserError) {
        followsEnd = false
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

    mutating func complete(_ photo: Photo, id: String) {
        guard photo.id == id else { return }
        // Nearly always the selected photo.
        let isSelected = self.photo(at: selected)?.id == id
        let index = isSelected ? self.index(at: selected) : photos.firstIndex { $0.id == id }
        guard let index else { return }
        photos[index] = photo
        completed.insert(id)
    }

    private mutating func newPhotos(among photos: [Photo]) -> [Photo] { photos.filter { ids.insert($0.id).inserted } }

    private mutating func shift(by distance: Int, in geometry: ListGeometry) {
        let offset = geometry.row(of: selected) - topRow
        firstPosition += distance
        guard filter == nil else { return }
        let shown = picture
        selected = max(selected + distance, 0)
        picture = shown
        rangeStart = rangeStart.map { max($0 + distance, 0) }
        topRow = geometry.row(of: selected) - offset
    }

    private mutating func settleTotal() {
        let least = loaded.upperBound
        switch total {
        case .exact(let number) where number < least: total = isAtEnd ? .exact(least) : .estimate(least)
        case .estimate(let number) where isAtEnd || number < least: total = isAtEnd ? .exact(least) : .estimate(least)
        default: break
        }
    }
}
