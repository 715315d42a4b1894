public import SpyglassFetching

/// NASA's Image and Video Library (`images-api.nasa.gov`), searched a page of 100 at a time.
///
///     let source = NASASource(transport: transport)
///     for photo in try await source.page(of: PhotoQuery("apollo 11"), at: nil).photos { print(photo.title) }
///
/// The API is the one of "NASA Image and Video Library API", release 1.22. It needs no key. It shows the first 10,000
/// results of any search; a page beyond is never asked for. `next` links only say that there is a page: its address is
/// rebuilt from the endpoint and the page's number, so that no answer can send a search elsewhere.
public struct NASASource: PhotoSource {
    /// Where NASA's API is.
    public static let defaultEndpoint = WebAddress(trusted: "https://images-api.nasa.gov/")
    /// Items of a page: the API's own default, sent with every search so that archives and caches see one address a page.
    public static let pageSize = 100
    /// The API answers 400 for pages that end beyond this result.
    public static let resultCeiling = 10_000
    /// The last page that may be asked for.
    static let lastPage = resultCeiling / pageSize
    /// The largest answer that is read, in bytes; a page of 700 items has about 1 MB.
    static let answerLimit = 16 << 20
    static let answerLimitInWords = "\(answerLimit >> 20) MiB, the limit for an answer"
    /// How long NASA's edge goes on answering with a 400 that somebody else's request caused: 10 s and one to spare.
    static let errorCacheTime = Duration.seconds(11)

    /// The filters of the API, in the order in which help lists them; a filter needs an entry here and nothing else.
    static let declarations = [
        NASAFilter(
            PhotoFilter(
                "center", .uppercaseText, "NAME", help: "NASA centre: JSC, JPL, KSC, GSFC...", examples: ["JSC"]),
            parameter: "center"),
        NASAFilter(
            PhotoFilter(
                "year", .years, "YEAR[-YEAR]", help: "a year, or a range: 1969-1972", examples: ["1969-1972", "1969"]),
            parameter: "year"),
        NASAFilter(
            PhotoFilter("photographer", help: "words in the photographer's name", examples: ["Ingalls"]),
            parameter: "photographer"),
        NASAFilter(PhotoFilter("title", help: "words in the title"), parameter: "title"),
        NASAFilter(PhotoFilter("location", help: "words in the location"), parameter: "location"),
        NASAFilter(PhotoFilter("keywords", .words, "WORDS", help: "keywords, with commas"), parameter: "keywords"),
        NASAFilter(PhotoFilter("id", .text, "ID", help: "the exact id"), parameter: "nasa_id"),
        NASAFilter(PhotoFilter("album", .text, "NAME", help: "an album, by its internal name"), parameter: nil),
        NASAFilter(
            PhotoFilter(
                "media", .choices(MediaType.allCases.map(\.rawValue)), "TYPES",
                help: "image, video, audio, with commas",
                defaultValues: [MediaType.image.rawValue]),
            parameter: NASAFilter.mediaType),
    ]
    /// `center`, `year`, `photographer`, `title`, `location`, `keywords`, `id`, `album` and `media`.
    public static let filters = declarations.map(\.filter)

    /// `nasa`.
    public let name = "nasa"
    /// `NASASource.filters`.
    public var filters: [PhotoFilter] { Self.filters }
    /// The base of the API; NASA's own, or a mirror's.
    public let endpoint: WebAddress
    let transport: any Transport
    let clock: any Clock<Duration>
    let onWait: (@Sendable (Duration) -> Void)?

    /// A source that asks through `transport`.
    ///
    /// - Parameters:
    ///   - transport: Where answers come from; conditional requests, retries and archives are its business.
    ///   - endpoint: The base of the API, for mirrors and tests. Its query is not used.
    ///   - clock: Runs the one wait of this type, before a 400 that does not fit its request is asked for again.
    ///   - onWait: Told how long that wait will be, when it begins.
    public init(
        transport: any Transport, endpoint: WebAddress = NASASource.defaultEndpoint,
        clock: any Clock<Duration> = ContinuousClock(), onWait: (@Sendable (Duration) -> Void)? = nil
    ) {
        self.transport = transport
        self.endpoint = endpoint.secureAtNASA
        self.clock = clock
        self.onWait = onWait
    }

    /// Where searches go at an endpoint; what is searched for stands in the query.
    public static func searchAddress(at endpoint: WebAddress = defaultEndpoint) -> WebAddress {
        endpoint.secureAtNASA.appending(path: "search", query: "") ?? endpoint
    }

    /// One page of a search or an album.
    ///
    /// Items without an id, and those whose id has come before on the page, are left out; items without a picture are
    /// kept. The total is exact when NASA counted it and the page does not contradict it.
    ///
    /// - Throws: `CatalogError`, or what the transport and the clock throw.
    public func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let number = try pageNumber(of: cursor)
        let request = try NASARequest(query, page: number, endpoint: endpoint)
        let response = try await answer(to: request, page: number)
        let previous = number > 1 ? PageCursor(page: number - 1) : nil
        guard (200...299).contains(response.status) else {
            let failure = NASAFailure(response)
            if failure.isEndOfResults(page: number) { return PhotoPage(photos: [], previous: previous) }
            throw failure.error(for: request)
        }
        let collection = try NASACollection(response)
        let photos = try collection.photos(from: name)
        let continues = collection.hasNextLink && !collection.items.isEmpty && number < Self.lastPage
        return PhotoPage(
            photos: photos, position: (number - 1) * Self.pageSize,
            next: continues ? PageCursor(page: number + 1) : nil, previous: previous,
            total: collection.total(page: number))
    }

    /// The cursor of any page, or of the page with a result.
    ///
    /// Positions beyond the ceiling lead to the last page; a page beyond it has a cursor that fails when it is read.
    public func cursor(for start: PhotoStart) -> PageCursor? {
        switch start {
        case .page(let number): number >= 1 ? PageCursor(page: number) : nil
        case .position(let position):
            PageCursor(page: min(max(position, 0), Self.resultCeiling - 1) / Self.pageSize + 1)
        }
    }

    /// The photo with every picture file that `/asset/{id}` lists.
    ///
    /// Sizes that the search gave stay; files that only the list knows have none. A photo without a preview gets one
    /// if a picture is among them.
    ///
    /// - Throws: `CatalogError` of kind `notFound` for an id that NASA does not know, else as `page(of:at:)`.
    public func renditions(of photo: Photo) async throws -> Photo {
        let request = try NASARequest(assetOf: photo.id, endpoint: endpoint)
        let response = try await answer(to: request, page: 1)
        guard (200...299).contains(response.status) else { throw NASAFailure(response).error(for: request) }
        var result = photo
        let known = Set(photo.renditions.map(\.address))
        let files = try NASACollection(response).files.filter { $0.isPicture && !known.contains($0.rendition.address) }
        result.renditions += files.map(\.rendition)
        result.thumbnail = photo.thumbnail ?? PreviewChoice.best(of: result.renditions)
        return result
    }

    private func pageNumber(of cursor: PageCursor?) throws -> Int {
        guard let cursor else { return 1 }
        guard let number = cursor.page else { throw CatalogError.foreignCursor(of: name) }
        guard number <= Self.lastPage else {
            throw CatalogError(
                .invalidQuery,
                "NASA shows the first 10,000 results of a search: there is no page \(number), the last is \(Self.lastPage);"
                    + " narrow the search", at: .page)
        }
        return number
    }

    /// The answer, asked for a second time when it is a 400 that this request cannot have caused.
    private func answer(to request: NASARequest, page: Int) async throws -> FetchResponse {
        let fetch = FetchRequest(request.address, accept: "application/json", bodyLimit: Self.answerLimit)
        let response = try await transfer(fetch)
        guard response.status == 400 else { return response }
        let failure = NASAFailure(response)
        guard !failure.isEndOfResults(page: page), !failure.fits(request) else { return response }
        onWait?(Self.errorCacheTime)
        try await clock.sleep(for: Self.errorCacheTime)
        return try await transfer(fetch)
    }

    /// The limit of an answer is this source's own: whoever reads the error cannot raise it.
    private func transfer(_ request: FetchRequest) async throws -> FetchResponse {
        do {
            return try await transport.fetch(request)
        } catch let error as FetchError where error.exceededLimit == .body {
            throw CatalogError(
                .invalidResponse, "\(request.address.host) answered with more than \(Self.answerLimitInWords)")
        }
    }
}

extension PageCursor {
    /// A page's number, which is all that NASA's paging needs.
    fileprivate init(page number: Int) { self.init(token: "page \(number)") }

    fileprivate var page: Int? {
        guard token.hasPrefix("page "), let number = Int(token.dropFirst(5)), number >= 1 else { return nil }
        return number
    }
}
