public import SpyglassFetching

/// NASA's Image and Video Library (`images-api.nasa.gov`), in pages of 100.
///
///     let source = NASASource(transport: transport)
///     for photo in try await source.page(of: PhotoQuery("apollo 11"), at: nil).photos { print(photo.title) }
///
/// The API is "NASA Image and Video Library API", release 1.22. It needs no key and shows the first 10,000 results of a
/// search. The address of each page is built from the endpoint and a number: no response can redirect a search.
public struct NASASource: PhotoSource {
    /// The base of NASA's API.
    public static let defaultEndpoint = WebAddress(constant: "https://images-api.nasa.gov/")
    /// Items of a page: the API's default, sent explicitly so that each page has one address.
    package static let pageSize = 100
    /// Pages that end beyond this result get a 400.
    package static let resultCeiling = 10_000
    static let lastPage = resultCeiling / pageSize
    /// The limit of a response body in bytes; a page of 700 items has about 1 MB.
    static let bodyLimit = 16 << 20
    /// How long NASA's edge caches a 400 that another request caused, and a second more.
    static let errorCacheTime = Duration.seconds(11)

    /// The filters of the API, in the order of help; a new filter needs an entry here and nothing else.
    static let declarations = [
        NASAFilter(
            "center",
            .init(
                "center", form: .uppercaseText, placeholder: "NAME", help: "NASA centre: JSC, JPL, KSC, GSFC...",
                examples: ["JSC"])),
        NASAFilter(
            "year",
            .init(
                "year", form: .years, placeholder: "YEAR[-YEAR]", help: "a year, or a range: 1969-1972",
                examples: ["1969-1972", "1969"])),
        NASAFilter(
            "photographer", .init("photographer", help: "words in the photographer's name", examples: ["Ingalls"])),
        NASAFilter("title", .init("title", help: "words in the title")),
        NASAFilter("location", .init("location", help: "words in the location")),
        NASAFilter("keywords", .init("keywords", form: .words, placeholder: "WORDS", help: "keywords, with commas")),
        NASAFilter("nasa_id", .init("id", placeholder: "ID", help: "the exact id")),
        NASAFilter(nil, .init("album", placeholder: "NAME", help: "an album, by its internal name")),
        NASAFilter(
            NASAFilter.mediaType,
            .init(
                "media", form: .choices(MediaType.published.map(\.rawValue)), placeholder: "TYPES",
                help: "image, video, audio, with commas", defaultValues: ["image"])),
    ]
    /// `center`, `year`, `photographer`, `title`, `location`, `keywords`, `id`, `album` and `media`.
    package static let filters = declarations.map(\.filter)

    /// NASA's archive, the default source.
    package static let declaration = {
        var declaration = SourceDeclaration(
            name: "nasa", title: "NASA", summary: "NASA's image archive", example: "apollo 11")
        declaration.filters = filters
        declaration.endpoint = defaultEndpoint
        declaration.license = "in general free of copyright, unless the credit line names others"
        return declaration
    }()

    /// `nasa`.
    public let name = "nasa"
    /// `NASASource.filters`.
    public var filters: [PhotoFilter] { Self.filters }
    /// The base of the API; NASA's own, or a mirror's.
    public let endpoint: WebAddress
    let transport: any Transport
    let clock: any Clock<Duration>
    let onWait: (@Sendable (Duration) -> Void)?

    /// A source that sends its requests through `transport`.
    ///
    /// - Parameters:
    ///   - transport: Fetches responses; also revalidates, retries and replays archives, if wanted.
    ///   - endpoint: The base of the API, for mirrors and tests. Its query is not used.
    ///   - clock: Measures the wait before a request is sent again whose 400 belongs to another request.
    ///   - onWait: Receives the length of that wait when it begins.
    public init(
        transport: any Transport, endpoint: WebAddress = NASASource.defaultEndpoint,
        clock: any Clock<Duration> = ContinuousClock(), onWait: (@Sendable (Duration) -> Void)? = nil
    ) {
        self.transport = transport
        self.endpoint = endpoint.secureAtNASA
        self.clock = clock
        self.onWait = onWait
    }

    /// The address of searches at an endpoint, without their query.
    package static func searchAddress(at endpoint: WebAddress = defaultEndpoint) -> WebAddress {
        endpoint.secureAtNASA.appending(path: "search", query: "") ?? endpoint
    }

    /// One page of a search or an album.
    ///
    /// Drops items without an id and repeated ids; keeps items without an image. The total is exact if NASA counted it
    /// and the page does not contradict it.
    ///
    /// - Throws: `CatalogError`, or what the transport and the clock throw.
    public func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let number = try pageNumber(of: cursor)
        let request = try NASARequest(query, page: number, endpoint: endpoint)
        let response = try await response(to: request, page: number)
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
        PageCursor(start, pageSize: Self.pageSize, lastPage: Self.lastPage)
    }

    /// The photo with every image file that `/asset/{id}` lists; files that only the list names have no sizes.
    ///
    /// A photo without a preview gets one if an image is among them.
    ///
    /// - Throws: `CatalogError` of kind `notFound` for an unknown id, else as `page(of:at:)`.
    public func renditions(of photo: Photo) async throws -> Photo {
        let request = try NASARequest(assetOf: photo.id, endpoint: endpoint)
        let response = try await response(to: request, page: 1)
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
                "NASA shows the first 10,000 results of a search: page \(number) is beyond the last, \(Self.lastPage);"
                    + " narrow the search", at: .page)
        }
        return number
    }

    /// Sends the request again if its 400 belongs to another request.
    private func response(to request: NASARequest, page: Int) async throws -> FetchResponse {
        let fetch = FetchRequest(request.address, accept: "application/json", bodyLimit: Self.bodyLimit)
        let response = try await transfer(fetch)
        guard response.status == 400 else { return response }
        let failure = NASAFailure(response)
        guard !failure.isEndOfResults(page: page), !failure.fits(request) else { return response }
        onWait?(Self.errorCacheTime)
        try await clock.sleep(for: Self.errorCacheTime)
        return try await transfer(fetch)
    }

    /// The body's limit is not the one that an option raises.
    private func transfer(_ request: FetchRequest) async throws -> FetchResponse {
        do {
            return try await transport.fetch(request)
        } catch let error as FetchError where error.exceededLimit == .body {
            throw CatalogError.tooLarge(from: request.address.host, limit: Self.bodyLimit)
        }
    }
}
