/// A searchable catalogue of photos, read page by page.
///
///     let source = NASASource(transport: transport)
///     let first = try await source.page(of: PhotoQuery("apollo 11"), at: nil)
///     if let cursor = first.next { let second = try await source.page(of: query, at: cursor) }
public protocol PhotoSource: Sendable {
    /// The short name in options and in `Photo.source`: `nasa`.
    var name: String { get }

    /// The filters that a query may have.
    var filters: [PhotoFilter] { get }

    /// The page of results at `cursor`, or the first page; it may have any number of photos.
    ///
    /// - Throws: `CatalogError` for a refused query or an invalid response, `FetchError`, `CancellationError`.
    func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage

    /// The cursor of the page to start at, or `nil` if the source cannot start there.
    func cursor(for start: PhotoStart) -> PageCursor?

    /// Returns the photo with all its renditions; the same photo if the source has no more.
    ///
    /// - Throws: as `page(of:at:)`.
    func renditions(of photo: Photo) async throws -> Photo
}

extension PhotoSource {
    /// None.
    public var filters: [PhotoFilter] { [] }

    /// `nil`: reading starts at the first page.
    public func cursor(for start: PhotoStart) -> PageCursor? { nil }

    /// Returns the photo unchanged, as its page already has all renditions.
    public func renditions(of photo: Photo) async throws -> Photo { photo }
}

/// Where reading the results of a query starts.
public enum PhotoStart: Hashable, Sendable {
    /// The n-th page of the source, from 1.
    case page(Int)
    /// The page with the n-th result, from 0, or the nearest one within reach.
    case position(Int)
    /// The page with this photo, if the source can find it; else that with the n-th result.
    case photo(id: String, or: Int)

    /// The first page.
    public static let first = PhotoStart.position(0)

    package var position: Int? {
        switch self {
        case .page: nil
        case .position(let position), .photo(_, let position): position
        }
    }

    /// Whether reading starts at the first page.
    package var isFirst: Bool { self == .page(1) || self == .first }
}

/// One page of results.
public struct PhotoPage: Hashable, Sendable {
    /// The photos, in the source's order.
    public var photos: [Photo]
    /// The position of the first photo in the results, from 0; `nil` if the source does not state it.
    public var position: Int?
    /// Leads to the next page; `nil` at the end.
    public var next: PageCursor?
    /// Leads to the page before; `nil` at the start.
    public var previous: PageCursor?
    /// The number of results; `nil` if the source does not state it.
    public var total: Total?

    /// The number of results of a query.
    public enum Total: Hashable, Sendable {
        /// A count.
        case exact(Int)
        /// A guess, or a number that varies between pages.
        case estimate(Int)

        /// The number, exact or not.
        package var number: Int {
            switch self {
            case .exact(let number), .estimate(let number): number
            }
        }
    }

    /// A page of a source.
    public init(
        photos: [Photo], position: Int? = nil, next: PageCursor? = nil, previous: PageCursor? = nil, total: Total? = nil
    ) {
        self.photos = photos
        self.position = position
        self.next = next
        self.previous = previous
        self.total = total
    }
}

/// A position in the results of one query, opaque to all but the source that made it.
public struct PageCursor: Hashable, Sendable {
    /// The source's own text.
    public let token: String

    /// A cursor with the source's own text.
    public init(token: String) { self.token = token }
}
