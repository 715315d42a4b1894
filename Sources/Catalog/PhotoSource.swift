/// A place that can be searched for photos, a page at a time.
///
///     let source = NASASource(transport: transport)
///     let first = try await source.page(of: PhotoQuery("apollo 11"), at: nil)
///     if let cursor = first.next { let second = try await source.page(of: query, at: cursor) }
public protocol PhotoSource: Sendable {
    /// The short name that options and `Photo.source` use: `nasa`.
    var name: String { get }

    /// The filters that a query of this source may have.
    var filters: [PhotoFilter] { get }

    /// One page of answers: the first when `cursor` is `nil`, else the one the cursor of an earlier page leads to.
    ///
    /// - Throws: `CatalogError` when the answer is unusable, `FetchError` when there is none, `CancellationError`.
    func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage

    /// The cursor of the page to start at, or `nil` if the source cannot start there.
    func cursor(for start: PhotoStart) -> PageCursor?

    /// The photo with all its renditions; the same photo when the source knows no more.
    func renditions(of photo: Photo) async throws -> Photo
}

extension PhotoSource {
    /// None.
    public var filters: [PhotoFilter] { [] }

    /// `nil`: reading starts at the first page.
    public func cursor(for start: PhotoStart) -> PageCursor? { nil }
}

/// Where reading the results of a query starts.
public enum PhotoStart: Hashable, Sendable {
    /// The n-th page of the source, from 1.
    case page(Int)
    /// The page with the n-th result, from 0, or the nearest one within reach.
    case position(Int)

    /// The first page.
    public static let first = PhotoStart.position(0)

    /// The position; `nil` for a page.
    package var position: Int? { if case .position(let position) = self { position } else { nil } }

    /// Whether reading starts at the first page.
    public var isFirst: Bool { self == .page(1) || self == .first }
}

/// One page of answers.
public struct PhotoPage: Hashable, Sendable {
    /// The photos, in the source's order.
    public var photos: [Photo]
    /// The position of the first photo in the results, from 0; `nil` if the source does not tell.
    public var position: Int?
    /// Leads to the next page; `nil` at the end.
    public var next: PageCursor?
    /// Leads to the page before; `nil` at the start.
    public var previous: PageCursor?
    /// How many there are in all, if the source says.
    public var total: Total?

    /// How many photos a query has in all.
    public enum Total: Hashable, Sendable {
        /// The source counted.
        case exact(Int)
        /// The source guessed, or the number moves from page to page.
        case estimate(Int)
    }

    /// A page put together by a source.
    public init(
        photos: [Photo], position: Int? = nil, next: PageCursor? = nil, previous: PageCursor? = nil,
        total: Total? = nil
    ) {
        self.photos = photos
        self.position = position
        self.next = next
        self.previous = previous
        self.total = total
    }
}

/// A place in the answers of one query.
///
/// Only the source that made it can read it.
public struct PageCursor: Hashable, Sendable {
    /// The source's own words, as it gave them.
    public let token: String

    /// A cursor that `token` describes to the source that makes it.
    public init(token: String) { self.token = token }
}
