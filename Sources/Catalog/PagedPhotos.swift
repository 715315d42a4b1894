/// Walks the pages of a query and returns every photo once.
///
///     var pages = PagedPhotos(query, from: source)
///     while let photo = try await pages.nextPhoto() { print(photo.title, pages.total) }
///
/// After an error the next call requests the same page again. It holds one page and at most 20,000 ids.
public struct PagedPhotos: Sendable {
    /// Number of ids stored to recognise repeated photos, which occur on neighbouring pages.
    package static let rememberedIDs = 20_000
    /// Pages without photos after which a direction ends; one that only repeats photos ends it at once.
    static let maxFruitlessPages = 5

    /// The search.
    package let query: PhotoQuery
    /// The source that is searched.
    package let source: any PhotoSource
    /// The number of results, from the last page with one; `nil` before.
    public private(set) var total: PhotoPage.Total?

    /// The position of the first photo that was read, from 0; `nil` before the first page, or if it is unknown.
    package private(set) var startPosition: Int?

    private let start: PhotoStart
    private var forward = Edge.unread
    private var backward = Edge.unread
    private var recent = RecentIDs(capacity: PagedPhotos.rememberedIDs)
    private var waiting: ArraySlice<Photo> = []

    private enum Edge {
        case unread
        case page(PageCursor)
        case end

        /// The page at a cursor; a cursor that leads to its own page is the end.
        init(_ cursor: PageCursor?, after current: Edge = .unread) {
            if let cursor, current.cursor != cursor { self = .page(cursor) } else { self = .end }
        }

        private var cursor: PageCursor? { if case .page(let cursor) = self { cursor } else { nil } }
    }

    /// A walk over `query`; the first call sends the first request.
    ///
    /// A source that cannot start at a position starts at its first page.
    public init(_ query: PhotoQuery, from source: any PhotoSource, startingAt start: PhotoStart = .first) {
        self.query = query
        self.source = source
        self.start = start
    }

    /// Whether the last page has been read.
    public var isAtEnd: Bool { if case .end = forward { true } else { false } }

    /// Whether the first page has been read.
    package var isAtStart: Bool { if case .end = backward { true } else { false } }

    /// The new photos of the page after the window, at least one; `nil` after the last page.
    ///
    /// - Throws: What `PhotoSource.page(of:at:)` throws; `CatalogError` of kind `invalidQuery` if it cannot start at the page.
    public mutating func nextPage() async throws -> [Photo]? { try await extend(\.forward, \.next) }

    /// The new photos of the page before the window, in the source's order, at least one; `nil` before the first page.
    ///
    /// The first call of a walk is the same as `nextPage()`.
    ///
    /// - Throws: As `nextPage()`.
    package mutating func previousPage() async throws -> [Photo]? {
        if case .unread = backward { return try await nextPage() }
        return try await extend(\.backward, \.previous)
    }

    /// The next photo, reading a page when needed; `nil` after the last.
    ///
    /// `nextPage()` skips the rest of a page that was read by `nextPhoto()`.
    ///
    /// - Throws: As `nextPage()`.
    public mutating func nextPhoto() async throws -> Photo? {
        if waiting.isEmpty, let photos = try await nextPage() { waiting = photos[...] }
        return waiting.popFirst()
    }

    private mutating func extend(
        _ edge: WritableKeyPath<Self, Edge>, _ cursor: KeyPath<PhotoPage, PageCursor?>
    ) async throws -> [Photo]? {
        for _ in 0..<Self.maxFruitlessPages {
            let current = self[keyPath: edge]
            guard let page = try await read(current) else { return nil }
            if case .unread = current {
                backward = Edge(page.previous)
                startPosition = page.position ?? (page.previous == nil ? 0 : nil)
            }
            self[keyPath: edge] = Edge(page[keyPath: cursor], after: current)
            total = page.total ?? total
            let photos = page.photos.filter { recent.insert($0.id) }
            if !photos.isEmpty { return photos }
            // A page of photos that are all known: the source repeats itself.
            guard page.photos.isEmpty else { break }
        }
        self[keyPath: edge] = .end
        return nil
    }

    private func read(_ edge: Edge) async throws -> PhotoPage? {
        switch edge {
        case .end: return nil
        case .page(let cursor): return try await source.page(of: query, at: cursor)
        case .unread:
            let cursor = start.isFirst ? nil : source.cursor(for: start)
            if cursor == nil, !start.isFirst, case .page(let number) = start {
                throw CatalogError(.invalidQuery, "\(source.name) cannot start at page \(number)", at: .page)
            }
            return try await source.page(of: query, at: cursor)
        }
    }
}

extension PagedPhotos: AsyncSequence, AsyncIteratorProtocol {
    /// A copy of the walk.
    public func makeAsyncIterator() -> PagedPhotos { self }

    /// Returns the next photo, as `nextPhoto()` does.
    public mutating func next() async throws -> Photo? { try await nextPhoto() }
}

/// The last ids, between half of `capacity` and all of it, in two generations.
private struct RecentIDs: Sendable {
    let capacity: Int
    /// Compared by bytes: files may have names that are canonically equal strings.
    var newer: Set<[UInt8]> = []
    var older: Set<[UInt8]> = []

    mutating func insert(_ text: String) -> Bool {
        let id = Array(text.utf8)
        guard !older.contains(id), newer.insert(id).inserted else { return false }
        if newer.count >= capacity / 2 {
            older = newer
            newer = []
        }
        return true
    }
}
