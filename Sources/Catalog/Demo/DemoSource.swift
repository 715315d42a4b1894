internal import SpyglassFetching

/// Synthetic photos without a network, for demonstrations and tests.
///
///     let source = DemoSource(count: 10_000, seed: 1)
///     let images = DemoTransport()   // serves the addresses of its photos
///
/// A photo is computed from its number and the seed: the same bytes on every machine, and nothing is stored. Some photos lack a
/// photographer, a date or an image.
package struct DemoSource: PhotoSource {
    /// NASA's filters, without those that a demo photo has no field for.
    package static let filters = NASASource.filters.filter {
        ["center", "year", "photographer", "title", "location", "id"].contains($0.name)
    }.map { filter in filterExamples[filter.name].map { filter.with(examples: $0) } ?? filter }
    /// Values that demo photos have.
    private static let filterExamples = ["center": ["ALPHA"], "photographer": ["Castellan"]]
    static let pageSize = 100
    /// Larger sources do not count the results of a search.
    static let maxCounted = 100_000
    /// Searches that find photos, whatever the seed.
    package static let suggestions = ["aurora", "shepherd moon", "at dusk", "haze", "false colour", "Port Hesper"]

    /// Generated photos.
    package static let declaration = {
        var declaration = SourceDeclaration(
            name: "demo", title: "Demo", summary: "generated images, without a network", example: "aurora")
        declaration.filters = filters
        return declaration
    }()

    /// `demo`.
    package let name = "demo"
    /// `DemoSource.filters`.
    package var filters: [PhotoFilter] { Self.filters }
    /// The number of photos.
    package let count: Int
    /// Determines the set of photos.
    package let seed: UInt64

    /// A source of `count` photos, at least none.
    package init(count: Int = 10_000, seed: UInt64 = 1) {
        self.count = max(0, count)
        self.seed = seed
    }

    /// A page of the photos whose title, photographer, place, description or id contains every word of the query.
    ///
    /// - Throws: `CatalogError` for a cursor of another source or a filter that is not declared; `CancellationError` between
    ///   photos of a long search.
    package func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let filter = DemoFilter(try query.checked(by: Self.filters, of: name))
        let (page, known) = try position(of: cursor)
        let skipped = (page - 1) * Self.pageSize
        let start = try known ?? start(ofPageAfter: skipped, filter)
        let found = try matches(filter, from: start, limit: Self.pageSize)
        let end = found.last.map { $0 + 1 } ?? count
        let continues = try found.count == Self.pageSize && !matches(filter, from: end, limit: 1).isEmpty
        return PhotoPage(
            photos: found.map(photo(at:)), position: skipped,
            next: continues ? PageCursor(token: "\(page + 1)@\(end)") : nil,
            previous: page > 1 ? PageCursor(token: "\(page - 1)") : nil, total: try total(of: filter))
    }

    /// The cursor of any page or position; pages after the last are empty.
    package func cursor(for start: PhotoStart) -> PageCursor? {
        switch start {
        case .page(let number): number >= 1 ? PageCursor(token: "\(number)") : nil
        case .position(let position): PageCursor(token: "\(max(position, 0) / Self.pageSize + 1)")
        }
    }

    /// Returns the photo unchanged: search results are complete.
    package func renditions(of photo: Photo) async throws -> Photo { photo }

    private func photo(at index: Int) -> Photo { DemoPhoto(index: index, seed: seed).photo(source: name) }

    private func position(of cursor: PageCursor?) throws(CatalogError) -> (page: Int, index: Int?) {
        guard let cursor else { return (1, 0) }
        let parts = cursor.token.split(separator: "@").map { Int($0) }
        guard (1...2).contains(parts.count), let page = parts[0], page >= 1, page <= Int.max / Self.pageSize else {
            throw .foreignCursor(of: name)
        }
        return (page, parts.count == 2 ? parts[1].map { min(max($0, 0), count) } : nil)
    }

    private func start(ofPageAfter skipped: Int, _ filter: DemoFilter) throws -> Int {
        guard !filter.isEmpty, skipped > 0 else { return min(skipped, count) }
        let matches = try matches(filter, from: 0, limit: skipped)
        return matches.count == skipped ? matches[skipped - 1] + 1 : count
    }

    private func matches(_ filter: DemoFilter, from start: Int, limit: Int) throws -> [Int] {
        guard !filter.isEmpty else { return Array(start..<min(start + limit, max(start, count))) }
        var found: [Int] = []
        var index = start
        while index < count, found.count < limit {
            if index.isMultiple(of: 1024) { try Task.checkCancellation() }
            if filter.accepts(DemoPhoto(index: index, seed: seed).metadata(source: name)) { found.append(index) }
            index += 1
        }
        return found
    }

    private func total(of filter: DemoFilter) throws -> PhotoPage.Total? {
        guard !filter.isEmpty else { return .exact(count) }
        return count > Self.maxCounted ? nil : .exact(try matches(filter, from: 0, limit: count).count)
    }
}

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
        return words.allSatisfy { text.containsBytes(of: $0) }
            && [
                ("title", photo.title), ("photographer", photo.photographer), ("location", photo.location),
                ("center", photo.center),
            ].allSatisfy(holds) && query["id"].allSatisfy { $0 == photo.id } && isInYears(photo.date)
    }

    private func isInYears(_ date: String?) -> Bool {
        guard let years else { return true }
        return date.flatMap { Int($0.prefix(4)) }.map(years.contains) ?? false
    }

    private func holds(_ filter: String, in text: String?) -> Bool {
        query[filter].allSatisfy { text?.lowercased().containsBytes(of: $0.lowercased()) ?? false }
    }
}
