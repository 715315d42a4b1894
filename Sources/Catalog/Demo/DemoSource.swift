internal import SpyglassFetching

/// Synthetic photos without a network: for long lists, demonstrations and tests.
///
///     let source = DemoSource(count: 10_000, seed: 1)
///     let pictures = DemoTransport()   // answers for the addresses of its photos
///
/// The same seed gives the same photos and the same pictures, byte for byte, on every machine. Some photos lack a
/// photographer, a date or a picture, as real ones do. Nothing is stored: a photo is computed from its number, so that ten
/// million cost no more than ten.
public struct DemoSource: PhotoSource {
    /// Those of NASA's filters that a demo photo has a field for.
    public static let filters = NASASource.filters.filter {
        ["center", "year", "photographer", "title", "location", "id"].contains($0.name)
    }
    /// Photos of a page.
    static let pageSize = 100
    /// Photos that are looked at to count what a search would find; longer sources say no total for a search.
    static let countingLimit = 100_000
    /// Searches that find some of the usual number of photos, of whatever seed.
    package static let suggestions = ["aurora", "shepherd moon", "at dusk", "haze", "false colour", "Port Hesper"]

    /// `demo`.
    public let name = "demo"
    /// `DemoSource.filters`.
    public var filters: [PhotoFilter] { Self.filters }
    /// How many photos there are.
    public let count: Int
    /// What makes one set of photos different from another.
    public let seed: UInt64

    /// A source of `count` photos; a negative count means none.
    public init(count: Int = 10_000, seed: UInt64 = 1) {
        self.count = max(0, count)
        self.seed = seed
    }

    /// A page of the photos whose title, photographer, place, description or id contains every word of the query.
    ///
    /// A photo without a date matches no year.
    ///
    /// - Throws: `CatalogError` for a cursor of another source or a filter that is not declared; `CancellationError` between
    ///   photos of a long search.
    public func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let filter = DemoFilter(try query.checked(by: Self.filters, of: name))
        let place = try place(of: cursor)
        var start = place.index
        if start == nil { start = try skip(to: place.page, filter: filter) }
        var index = start ?? count
        var photos: [Photo] = []
        while index < count, photos.count < Self.pageSize {
            if index.isMultiple(of: 1024) { try Task.checkCancellation() }
            if accepts(index, filter) { photos.append(photo(at: index)) }
            index += 1
        }
        let continues = try firstMatch(from: index, filter: filter) != nil
        return PhotoPage(
            photos: photos, position: (place.page - 1) * Self.pageSize,
            next: continues ? PageCursor(token: "\(place.page + 1)@\(index)") : nil,
            previous: place.page > 1 ? PageCursor(token: "\(place.page - 1)") : nil,
            total: try total(of: filter))
    }

    /// The cursor of any page or position; pages after the last are empty.
    public func cursor(for start: PhotoStart) -> PageCursor? {
        switch start {
        case .page(let number): number >= 1 ? PageCursor(token: "\(number)") : nil
        case .position(let position): PageCursor(token: "\(max(position, 0) / Self.pageSize + 1)")
        }
    }

    /// The same photo: its search answer holds everything.
    public func renditions(of photo: Photo) async throws -> Photo { photo }

    /// The photo of a number from 0.
    func photo(at index: Int) -> Photo { DemoPhoto(index: index, seed: seed).photo(source: name) }
}

extension DemoSource {
    /// A page's number, and the photo it starts at when that is known.
    private func place(of cursor: PageCursor?) throws(CatalogError) -> (page: Int, index: Int?) {
        guard let cursor else { return (1, 0) }
        let parts = cursor.token.split(separator: "@").map { Int($0) }
        guard (1...2).contains(parts.count), let page = parts[0], page >= 1, page <= Int.max / Self.pageSize else {
            throw .foreignCursor(of: name)
        }
        let index = parts.count == 2 ? parts[1] : nil
        return (page, index.map { min(max($0, 0), count) })
    }

    /// The photo at which page `page` starts, or `nil` when there are fewer pages.
    private func skip(to page: Int, filter: DemoFilter) throws -> Int? {
        let skipped = (page - 1) * Self.pageSize
        guard !filter.isEmpty else { return skipped < count ? skipped : nil }
        var index = 0
        for _ in 0..<skipped {
            guard let match = try firstMatch(from: index, filter: filter) else { return nil }
            index = match + 1
        }
        return index
    }

    private func accepts(_ index: Int, _ filter: DemoFilter) -> Bool {
        filter.isEmpty || filter.accepts(DemoPhoto(index: index, seed: seed).words(source: name))
    }

    private func firstMatch(from start: Int, filter: DemoFilter) throws -> Int? {
        guard !filter.isEmpty else { return start < count ? start : nil }
        var index = start
        while index < count {
            if index.isMultiple(of: 1024) { try Task.checkCancellation() }
            if accepts(index, filter) { return index }
            index += 1
        }
        return nil
    }

    private func total(of filter: DemoFilter) throws -> PhotoPage.Total? {
        guard !filter.isEmpty else { return .exact(count) }
        guard count <= Self.countingLimit else { return nil }
        var found = 0
        var index = 0
        while let match = try firstMatch(from: index, filter: filter) {
            found += 1
            index = match + 1
        }
        return .exact(found)
    }
}

/// What a query asks of a demo photo.
private struct DemoFilter {
    private let words: [String]
    private let query: PhotoQuery
    private let years: ClosedRange<Int>?

    init(_ query: PhotoQuery) {
        words = query.text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        years = query["year"].first.flatMap(PhotoFilter.years)
        self.query = query
    }

    var isEmpty: Bool { query == PhotoQuery() }

    func accepts(_ photo: Photo) -> Bool {
        let fields = [photo.title, photo.photographer, photo.location, photo.description, photo.id]
        let text = fields.compactMap(\.self).joined(separator: "\n").lowercased()
        return words.allSatisfy { text.holds($0) }
            && [
                ("title", photo.title), ("photographer", photo.photographer), ("location", photo.location),
                ("center", photo.center),
            ].allSatisfy(holds)
            && query["id"].allSatisfy { $0 == photo.id } && isInYears(photo.date)
    }

    private func isInYears(_ date: String?) -> Bool {
        guard let years else { return true }
        return date.flatMap { Int($0.prefix(4)) }.map(years.contains) ?? false
    }

    private func holds(_ filter: String, in text: String?) -> Bool {
        query[filter].allSatisfy { text?.lowercased().holds($0.lowercased()) ?? false }
    }
}
