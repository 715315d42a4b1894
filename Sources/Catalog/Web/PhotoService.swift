internal import SpyglassFetching
internal import SpyglassJSON

/// How to ask a service of photos, and how to read what it answers.
///
/// `WebSource` does the rest.
protocol PhotoService: Sendable {
    var declaration: SourceDeclaration { get }

    /// The request for a page.
    ///
    /// - Throws: `CatalogError` of kind `invalidQuery`, also for a cursor of another source.
    func request(for page: PageRequest) throws(CatalogError) -> ServiceRequest

    /// The request for what the answers still lack of the page; `nil` by default and if it is complete.
    func request(after answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> ServiceRequest?

    /// The page of its answers, at least one, in the order of the requests.
    ///
    /// `WebSource` drops repeated ids and sets the trust of photos. The next cursor is `nil` at the end.
    func page(of answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> PhotoPage

    /// The request for the files of a photo that its page lacks; `nil` by default.
    func request(forFilesOf photo: Photo) -> ServiceRequest?

    /// The photo with the files of the answer to `request(forFilesOf:)`.
    func photo(_ photo: Photo, withFilesIn answer: ServiceAnswer) throws(CatalogError) -> Photo

    /// The error that a body contains, with any HTTP status; `nil` if it contains none.
    func failure(in answer: ServiceAnswer, for page: PageRequest) -> ServiceFailure?

    /// The words that a recorded address of the API asks for; by default its parameter `q`.
    func search(at address: WebAddress) -> String?

    /// The cursor of the page to start at; by default `nil`: reading starts at the first page.
    func cursor(for start: PhotoStart) -> PageCursor?
}

extension PhotoService {
    func request(after answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> ServiceRequest? { nil }
    func request(forFilesOf photo: Photo) -> ServiceRequest? { nil }
    func photo(_ photo: Photo, withFilesIn answer: ServiceAnswer) throws(CatalogError) -> Photo { photo }
    func search(at address: WebAddress) -> String? { address.queryItems.first { $0.name == "q" }?.value }
    func cursor(for start: PhotoStart) -> PageCursor? { nil }
}

/// A page to read: its checked query and its place in the results.
struct PageRequest: Hashable, Sendable {
    let query: PhotoQuery
    let cursor: PageCursor?
    /// The photo whose files are requested instead of a page.
    var photoID: String?

    init(_ query: PhotoQuery = PhotoQuery(), at cursor: PageCursor? = nil) {
        self.query = query
        self.cursor = cursor
    }

    /// The words as the parameter `q`, unless there are none.
    var words: [(name: String, value: String)] { query.text.isEmpty ? [] : [("q", query.text)] }

    /// The page before one of numbered pages; `nil` for the first.
    var previous: PageCursor? { cursor?.page.flatMap { $0 > 1 ? PageCursor(page: $0 - 1) : nil } }

    /// The number of the page from 1, for services with numbered pages.
    func number(for source: String) throws(CatalogError) -> Int {
        guard let cursor else { return 1 }
        guard let number = cursor.page, number <= 1_000_000 else { throw .foreignCursor(of: source) }
        return number
    }
}

/// A request to a service, without endpoint and key.
struct ServiceRequest: Sendable {
    /// Percent-encoded, without a slash at its start.
    let path: String
    /// Plain names and values, in the order of the address.
    var parameters: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    /// Parameters that version 0.2 also sent: its archives and caches have them in their addresses.
    var formerParameters: [(name: String, value: String)] = []
}

/// A response of a service.
struct ServiceAnswer: Sendable {
    let json: JSONValue
    var status = 200
    var headers = HeaderFields()
    /// Resolves relative addresses; without the key, which an address such as `#a` would repeat.
    let address: WebAddress
}

/// The error in the body of a response.
struct ServiceFailure: Hashable, Sendable {
    /// The service's own words, as received.
    var reason: String?
    /// The part of the query that is to blame, if it is one.
    var subject: CatalogError.Subject?
    /// True if the error only means that there are no more results.
    var isEndOfResults = false
    /// How long to wait before the same request may succeed, unless the response has a `Retry-After`.
    var retryDelay: Duration?
    /// The error in the service's own terms, if those of all services do not fit.
    var error: CatalogError?
}

/// A filter, and the parameter of a request that has its values.
struct ServiceFilter: Sendable {
    let parameter: String
    let filter: PhotoFilter
    /// The choices as the service writes them, if not in lower case.
    var spellings: [String] = []
}

extension [ServiceFilter] {
    /// The parameters that a query sets: caches and archives depend on their order, that of the filters.
    func parameters(of query: PhotoQuery) -> [(name: String, value: String)] {
        compactMap { entry in
            let values = query[entry.filter.name].map { value in
                entry.spellings.first { $0.lowercased() == value } ?? value
            }
            return values.isEmpty ? nil : (entry.parameter, values.joined(separator: ","))
        }
    }

    /// The part of a search that a refused parameter comes from; `nil` if the search does not set it.
    func subject(of parameter: String?, in page: PageRequest) -> CatalogError.Subject? {
        switch parameter {
        case "q": page.query.text.isEmpty ? nil : .text
        case "page", "offset": page.cursor == nil ? nil : .page
        default:
            first { $0.parameter == parameter && !page.query[$0.filter.name].isEmpty }.map { .filter($0.filter.name) }
        }
    }
}

extension PageCursor {
    init(page number: Int) { self.init(token: "page \(number)") }

    /// The page with a result; `nil` for an invalid number.
    init?(_ start: PhotoStart, pageSize: Int, lastPage: Int = 1_000_000) {
        switch start {
        case .page(let number):
            guard number >= 1 else { return nil }
            self.init(page: number)
        case .position(let position), .photo(_, let position):
            self.init(page: min(max(position, 0) / pageSize + 1, lastPage))
        }
    }

    var page: Int? {
        guard token.hasPrefix("page "), let number = Int(token.dropFirst(5)), number >= 1 else { return nil }
        return number
    }
}
