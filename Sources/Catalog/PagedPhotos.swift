/// Walks the pages of a query in both directions and hands out every photo once.
///
///     var pages = PagedPhotos(query, from: source)
///     while let photo = try await pages.nextPhoto() { print(photo.title, pages.total) }
///
/// It is a value with one owner, so that no two callers can ask for the same page. What has been read is a window in the
/// results: `nextPage()` extends its end, `previousPage()` its start. A page that could not be read is asked for again by the
/// next call; pages before it that held nothing new stay read. One page is held at a time, and the last `rememberedIDs` ids.
public struct PagedPhotos: Sendable {
    /// Ids that are remembered to recognise repeated photos.
    ///
    /// NASA shows 10,000 results of a search; services repeat photos on neighbouring pages, when results move while
    /// somebody pages, so that longer lists need no longer memory.
    public static let rememberedIDs = 20_000
    /// Pages without anything new after which a direction counts as ended, so that a source that repeats itself cannot be
    /// walked for ever.
    static let fruitlessPages = 5

    /// What is searched for.
    public let query: PhotoQuery
    /// Where.
    public let source: any PhotoSource
    /// How many photos the query has, as the page read last said; `nil` before the first page, or when no page said it.
    public private(set) var total: PhotoPage.Total?

    /// The position of the first photo that was read, from 0; `nil` before the first page, or if the source does not tell.
    public private(set) var startPosition: Int?

    private let start: PhotoStart
    private var forward = Edge.unread
    private var backward = Edge.unread
    private var recent = RecentIDs(capacity: PagedPhotos.rememberedIDs)
    private var waiting: ArraySlice<Photo> = []

    /// What lies beyond an edge of the window.
    private enum Edge {
        case unread
        case page(PageCursor)
        case end

        /// What a page's cursor leads to; a cursor that leads to the page it came from is the end.
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
    public var isAtStart: Bool { if case .end = backward { true } else { false } }

    /// The photos of the page behind the window that have not come before, never none; `nil` after the last page.
    ///
    /// - Throws: What `PhotoSource.page(of:at:)` throws; `CatalogError` of kind `invalidQuery` if it cannot start at the page.
    public mutating func nextPage() async throws -> [Photo]? {
        for _ in 0..<Self.fruitlessPages {
            guard let page = try await read(forward) else { return nil }
            if case .unread = forward {
                backward = Edge(page.previous)
                startPosition = page.previous == nil ? 0 : page.position
            }
            forward = Edge(page.next, after: forward)
            if let photos = take(page) { return photos }
        }
        forward = .end
        return nil
    }

    /// The photos of the page before the window that have not come before, in the source's order, never none; `nil`
    /// before the first page.
    ///
    /// Before anything has been read it is the same as `nextPage()`.
    ///
    /// - Throws: As `nextPage()`.
    public mutating func previousPage() async throws -> [Photo]? {
        if case .unread = backward { return try await nextPage() }
        for _ in 0..<Self.fruitlessPages {
            guard let page = try await read(backward) else { return nil }
            backward = Edge(page.previous, after: backward)
            if let photos = take(page) { return photos }
        }
        backward = .end
        return nil
    }

    /// The next photo, reading a page when the one before is used up; `nil` after the last.
    ///
    /// Mixing it with `nextPage()` leaves the rest of its page waiting: `nextPage()` reads the page behind.
    ///
    /// - Throws: As `nextPage()`.
    public mutating func nextPhoto() async throws -> Photo? {
        if waiting.isEmpty, let photos = try await nextPage() { waiting = photos[...] }
        return waiting.popFirst()
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

    /// The photos of a page that are new, or `nil` when none is.
    private mutating func take(_ page: PhotoPage) -> [Photo]? {
        total = page.total ?? total
        let photos = page.photos.filter { recent.insert($0.id) }
        return photos.isEmpty ? nil : photos
    }
}

extension PagedPhotos: AsyncSequence {
    /// Every photo from here to the end, page after page; `total` of the iterator is known after the first.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// Hands out one photo after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pages: PagedPhotos

        /// How many photos the query has, as the page read last said.
        public var total: PhotoPage.Total? { pages.total }

        /// The next photo, or `nil` after the last.
        public mutating func next() async throws -> Photo? { try await pages.nextPhoto() }
    }
}

/// The ids that came last, at most `capacity` of them.
private struct RecentIDs: Sendable {
    private let capacity: Int
    private var ids: Set<String> = []
    /// The ids in the order they came; a ring once it is full.
    private var order: [String] = []
    private var oldest = 0

    init(capacity: Int) { self.capacity = capacity }

    /// Remembers an id; `false` when it is remembered already.
    mutating func insert(_ id: String) -> Bool {
        guard ids.insert(id).inserted else { return false }
        guard order.count == capacity else {
            order.append(id)
            return true
        }
        ids.remove(order[oldest])
        order[oldest] = id
        oldest = (oldest + 1) % capacity
        return true
    }
}
