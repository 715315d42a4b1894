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
    }.map { filter in
        var filter = filter
        filter.examples = filterExamples[filter.name] ?? filter.examples
        return filter
    }
    /// Values that demo photos have.
    private static let filterExamples = ["center": ["ALPHA"], "photographer": ["Castellan"]]
    static let pageSize = 100
    /// Searches that find photos, whatever the seed.
    package static let suggestions = ["aurora", "shepherd moon", "at dusk", "haze", "false colour", "Port Hesper"]

    package static let declaration = SourceDeclaration(
        name: "demo", title: "Demo", summary: "generated images, without a network", example: "aurora",
        filters: filters)

    package let name = "demo"
    package var filters: [PhotoFilter] { Self.filters }
    private let count: Int
    private let seed: UInt64

    /// A source of `count` photos, at least none.
    package init(count: Int = 10_000, seed: UInt64 = 1) { (self.count, self.seed) = (max(0, count), seed) }

    /// A page of the photos whose title, photographer, place, description or id contains every word of the query.
    ///
    /// - Throws: `CatalogError` for a cursor of another source or a filter that is not declared; `CancellationError` between
    ///   photos of a long search.
    package func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let filter = DemoFilter(try query.checked(by: Self.filters, of: name))
        let number = try number(of: cursor)
        return filter.isEmpty ? page(number, of: 0..<count) : page(number, of: try matches(filter))
    }

    private func page(_ number: Int, of indices: some RandomAccessCollection<Int>) -> PhotoPage {
        let skipped = (number - 1) * Self.pageSize
        let found = indices.dropFirst(skipped).prefix(Self.pageSize)
        return PhotoPage(
            photos: found.map { DemoPhoto(index: $0, seed: seed).photo(source: name) }, position: skipped,
            next: indices.count - skipped > Self.pageSize ? PageCursor(page: number + 1) : nil,
            previous: number > 1 ? PageCursor(page: number - 1) : nil, total: .exact(indices.count))
    }

    /// The cursor of any page or position; pages after the last are empty.
    package func cursor(for start: PhotoStart) -> PageCursor? {
        PageCursor(start, pageSize: Self.pageSize, lastPage: .max)
    }

    private func number(of cursor: PageCursor?) throws(CatalogError) -> Int {
        guard let cursor else { return 1 }
        guard let number = cursor.page, number <= Int.max / Self.pageSize else { throw .foreignCursor(of: name) }
        return number
    }

    private func matches(_ filter: DemoFilter) throws -> [Int] {
        try (0..<count).filter { index in
            if index.isMultiple(of: 1024) { try Task.checkCancellation() }
            return filter.accepts(DemoPhoto(index: index, seed: seed).metadata(source: name))
        }
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
        let texts = [photo.title, photo.photographer, photo.location, photo.description, photo.id]
        let text = texts.compactMap(\.self).joined(separator: "\n").lowercased()
        let fields = [
            ("title", photo.title), ("photographer", photo.photographer), ("location", photo.location),
            ("center", photo.center),
        ]
        let year = photo.date.flatMap { Int($0.prefix(4)) }
        return words.allSatisfy { text.containsBytes(of: $0) } && query["id"].allSatisfy { $0 == photo.id }
            && fields.allSatisfy { filter, field in
                query[filter].allSatisfy { field?.lowercased().containsBytes(of: $0.lowercased()) ?? false }
            } && years.map { year.map($0.contains) ?? false } ?? true
    }
}
