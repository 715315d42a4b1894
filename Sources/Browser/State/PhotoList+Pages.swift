internal import SpyglassCatalog

extension PhotoList {
    /// The greatest valid position.
    private static let maxPosition = 1 << 32
    /// Consecutive pages without a new photo that end a direction.
    private static let maxBarrenPages = 3

    /// A list that awaits its first page.
    init(generation: Int, search: String, query: PhotoQuery, source: String, at start: PhotoStart) {
        self.init(generation: generation, search: search, query: query, source: source)
        switch start {
        case .page(let number): expect(.opens(page: number))
        case .position(let position): expect(.selects(position))
        }
    }

    /// Treats the next page as the first of a search.
    mutating func expect(_ arrival: Arrival) {
        awaited = arrival
        failed = nil
        isLoadingNext = true
        isLoadingPrevious = false
        nextProblem = nil
        previousProblem = nil
        followsEnd = false
    }

    /// Where the awaited or failed first page starts.
    var awaitedStart: PhotoStart {
        switch awaited ?? failed {
        case .opens(let page): .page(page)
        case .selects(let position), .keeps(_, let position): .position(min(max(position, 0), Self.maxPosition))
        case nil: .first
        }
    }

    /// Replaces all photos by the first page of a search.
    mutating func replace(with answer: PageAnswer, in geometry: ListGeometry) {
        let position = awaitedStart.position
        let offset = geometry.row(of: selected) - topRow
        let wanted = photo(at: selected)?.id
        ids = []
        photos = registerNew(answer.photos)
        firstPosition = answer.isAtStart ? 0 : min(max(answer.firstPosition ?? position ?? 0, 0), Self.maxPosition)
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
        correctTotal()
    }

    /// Inserts the new photos of a page after or before the others.
    ///
    /// If the position of the first photo turns out to be wrong, all positions and the selection shift.
    mutating func add(_ answer: PageAnswer, _ direction: PageDirection, in geometry: ListGeometry) {
        let new = registerNew(answer.photos)
        barrenPages = new.isEmpty ? barrenPages + 1 : 0
        let isLast = answer.photos.isEmpty || barrenPages >= Self.maxBarrenPages
        total = answer.total ?? total
        defer { correctTotal() }
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

    /// Records why a page failed.
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

    /// Replaces a photo by its complete version.
    mutating func complete(_ photo: Photo, id: String) {
        guard photo.id == id else { return }
        // It is usually the selected one.
        let isSelected = self.photo(at: selected)?.id == id
        let index = isSelected ? selected - firstPosition : photos.firstIndex { $0.id == id }
        guard let index else { return }
        photos[index] = photo
        completed.insert(id)
    }

    /// Registers the ids of photos and returns the photos that are new.
    private mutating func registerNew(_ photos: [Photo]) -> [Photo] { photos.filter { ids.insert($0.id).inserted } }

    private mutating func shift(by distance: Int, in geometry: ListGeometry) {
        let offset = geometry.row(of: selected) - topRow
        firstPosition += distance
        selected = max(selected + distance, 0)
        topRow = geometry.row(of: selected) - offset
    }

    /// Raises a total that is below the number of photos read.
    private mutating func correctTotal() {
        let minimum = positions.upperBound
        switch total {
        case .exact(let number) where number < minimum: total = isAtEnd ? .exact(minimum) : .estimate(minimum)
        case .estimate(let number) where isAtEnd || number < minimum:
            total = isAtEnd ? .exact(minimum) : .estimate(minimum)
        default: break
        }
    }
}
