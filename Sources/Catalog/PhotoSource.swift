/// A place that can be searched for photos, a page at a time.
///
///     let source = NASASource(transport: transport)
///     let first = try await source.page(of: PhotoQuery("apollo 11"), at: nil)
///     if let cursor = first.next { let second = try await source.page(of: query, at: cursor) }
public protocol PhotoSource: Sendable {
    /// The short name that options and `Photo.source` use: `nasa`.
    var name: String { get }

    /// How many photos a page has that is not the last, so that the page of a place in the results can be told.
    var pageSize: Int { get }

    /// How many photos of one search can be reached, however many there are; `nil` for all of them.
    var reachableCount: Int? { get }

    /// One page of answers: the first when `cursor` is `nil`, else the one the cursor of an earlier page leads to.
    ///
    /// - Throws: `CatalogError` when the answer is unusable, `FetchError` when there is none, `CancellationError`.
    func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage

    /// The cursor of page `number`, counted from 1, or `nil` when the source cannot start in the middle.
    func cursor(ofPage number: Int) -> PageCursor?

    /// The photo with all its renditions; the same photo when the source knows no more.
    func renditions(of photo: Photo) async throws -> Photo
}

extension PhotoSource {
    /// All of them.
    public var reachableCount: Int? { nil }
}

/// What is searched for.
///
/// Everything is optional; an empty query means everything the source has.
public struct PhotoQuery: Hashable, Sendable {
    /// Words in any field.
    public var text = ""
    /// The kinds that are wanted; empty means stills alone.
    public var mediaTypes: [MediaType] = [.image]
    /// NASA centre (`JSC`), upper case.
    public var center: String?
    /// Words in the photographer's name.
    public var photographer: String?
    /// Words in the location.
    public var location: String?
    /// Search words that must be among the photo's.
    public var keywords: [String] = []
    /// Words in the title.
    public var title: String?
    /// The exact id.
    public var id: String?
    /// The album's internal name.
    public var album: String?
    /// The first year.
    public var firstYear: Int?
    /// The last year.
    public var lastYear: Int?

    /// A query for words in any field.
    public init(_ text: String = "") { self.text = text }
}

/// One page of answers.
public struct PhotoPage: Hashable, Sendable {
    /// The photos, in the source's order.
    public var photos: [Photo]
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
    public init(photos: [Photo], next: PageCursor? = nil, previous: PageCursor? = nil, total: Total? = nil) {
        self.photos = photos
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
