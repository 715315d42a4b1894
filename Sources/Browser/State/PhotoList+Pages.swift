internal import SpyglassCatalog

extension PhotoList {
    /// A position no source has: beyond it an answer is not believed.
    private static let lastPosition = 1 << 32
    /// After so many pages in a row without a new photo, nothing more is expected in that direction.
    private static let barrenLimit = 3

    /// A list whose first page is awaited.
    init(generation: Int, search: String, query: PhotoQuery, source: String, at start: PhotoStart) {
        self.init(generation: generation, search: search, query: query, source: source)
        switch start {
        case .page(let number): expect(.opens(page: number))
        case .position(let position): expect(.selects(position))
        }
    }

    /// From now on, the next page that comes is the first of a search.
    mutating func expect(_ arrival: Arrival) {
        awaited = arrival
        failed = nil
        isLoadingNext = true
        isLoadingPrevious = false
        nextProblem = nil
        previousProblem = nil
        followsEnd = false
    }

    /// Where the awaited page, or the one that failed, starts.
    var awaitedStart: PhotoStart {
        switch awaited ?? failed {
        case .opens(let page): .page(page)
        case .selects(let position), .keeps(_, let position): .position(min(max(position, 0), Self.lastPosition))
        case nil: .first
        }
    }

    /// Takes the first page of a search in the place of everything.
    mutating func replace(with answer: PageAnswer, in geometry: ListGeometry) {
        let position = awaitedStart.position
        let offset = geometry.row(of: selected) - topRow
        let wanted = photo(at: selected)?.id
        ids = []
        photos = novelties(of: answer.photos)
        firstPosition = answer.isAtStart ? 0 : min(max(answer.firstPosition ?? position ?? 0, 0), Self.lastPosition)
        isAtStart = answer.isAtStart || photos.isEmpty
        isAtEnd = answer.isAtEnd || photos.isEmpty
        total = answer.total
        completed = []
        barrenPages = 0
        isLoadingNext = false
        switch awaited {
        case .keeps(let photoID, _):
            let index = [wanted, photoID].compactMap { id in photos.firstIndex { $0.id == id } }.first
            select(index.map { firstPosition + $0 } ?? selected)
            topRow = geometry.row(of: selected) - offset
        case .opens, .selects, nil:
            select(position ?? firstPosition)
            topRow = geometry.row(of: selected) - 1
        }
        awaited = nil
        failed = nil
        settleTotal()
    }

    /// Puts a page behind or before what has been read, without what is there already.
    ///
    /// Where the source's first position was not what it turned out to be, all positions change, and the selection with them.
    mutating func add(_ answer: PageAnswer, _ direction: PageDirection, in geometry: ListGeometry) {
        let new = novelties(of: answer.photos)
        barrenPages = new.isEmpty ? barrenPages + 1 : 0
        let isLast = answer.photos.isEmpty || barrenPages >= Self.barrenLimit
        total = answer.total ?? total
        defer { settleTotal() }
        switch direction {
        case .next:
            photos += new
            isLoadingNext = false
            isAtEnd = answer.isAtEnd || isLast
            if followsEnd, !new.isEmpty { select(positions.upperBound - 1) }
            followsEnd = false
        case .previous:
            photos.insert(contentsOf: new, at: 0)
            firstPosition -= new.count
            isLoadingPrevious = false
            isAtStart = answer.isAtStart || isLast
            if firstPosition < 0 || isAtStart { shift(by: -firstPosition, in: geometry) }
        }
    }

    /// A page did not come.
    mutating func fail(_ direction: PageDirection, _ problem: Problem) {
        followsEnd = false
        if let arrival = awaited {
            failed = arrival
            awaited = nil
            isLoadingNext = false
            nextProblem = problem
        } else if direction == .next {
            isLoadingNext = false
            nextProblem = problem
        } else {
            isLoadingPrevious = false
            previousProblem = problem
        }
    }

    /// Puts what the source knows in full in the place of what a page said.
    mutating func complete(_ photo: Photo, id: String) {
        guard photo.id == id else { return }
        // Nearly always it is the one that is looked at.
        let isSelected = self.photo(at: selected)?.id == id
        let index = isSelected ? selected - firstPosition : photos.firstIndex { $0.id == id }
        guard let index else { return }
        photos[index] = photo
        completed.insert(id)
    }

    /// Photos that are not there yet, each once; they count as being there from now on.
    private mutating func novelties(of photos: [Photo]) -> [Photo] { photos.filter { ids.insert($0.id).inserted } }

    private mutating func shift(by distance: Int, in geometry: ListGeometry) {
        let offset = geometry.row(of: selected) - topRow
        firstPosition += distance
        selected = max(selected + distance, 0)
        topRow = geometry.row(of: selected) - offset
    }

    /// A total that is less than what has come was no total.
    private mutating func settleTotal() {
        let least = positions.upperBound
        switch total {
        case .exact(let number) where number < least: total = isAtEnd ? .exact(least) : .estimate(least)
        case .estimate(let number) where isAtEnd || number < least: total = isAtEnd ? .exact(least) : .estimate(least)
        default: break
        }
    }
}
