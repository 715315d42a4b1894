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
    /// `center`, `year`, `photographer`, `title`, `location`, `keywords`, `id`, `album` and `media`.
    package static let filters = NASAService.filters

    /// The names of the centres, by what the API calls them.
    static let centers = [
        "AFRC": "Armstrong", "ARC": "Ames", "DFRC": "Dryden", "GRC": "Glenn", "GSFC": "Goddard", "HQ": "HQ",
        "JPL": "JPL", "JSC": "Johnson", "KSC": "Kennedy", "LARC": "Langley", "LRC": "Langley", "MAF": "Michoud",
        "MSFC": "Marshall", "SSC": "Stennis", "WFF": "Wallops",
    ]

    /// NASA's archive, the default source.
    package static let declaration = SourceDeclaration(
        name: "nasa", title: "NASA", summary: "NASA's image archive", example: "apollo 11", filters: filters,
        endpoint: defaultEndpoint, license: "in general free of copyright, unless the credit line names others")

    /// `nasa`.
    public let name = "nasa"
    /// `NASASource.filters`.
    public var filters: [PhotoFilter] { Self.filters }
    /// The base of the API; NASA's own, or a mirror's.
    public let endpoint: WebAddress
    private let source: WebSource

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
        self.endpoint = endpoint.secureAtNASA
        source = WebSource(
            NASAService(), transport: transport, endpoint: self.endpoint, clock: clock, onWait: onWait)
    }

    /// One page of a search or an album.
    ///
    /// Drops items without an id and repeated ids; keeps items without an image. The total is exact if NASA counted it
    /// and the page does not contradict it.
    ///
    /// - Throws: `CatalogError`, or what the transport and the clock throw.
    public func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        try await source.read(query, at: cursor)
    }

    /// The cursor of any page, or of the page with a result.
    ///
    /// Positions beyond the ceiling lead to the last page; a page beyond it has a cursor that fails when it is read.
    public func cursor(for start: PhotoStart) -> PageCursor? { source.cursor(for: start) }

    /// The photo with every image file that `/asset/{id}` lists; files that only the list names have no sizes.
    ///
    /// A photo without a preview gets one if an image is among them.
    ///
    /// - Throws: `CatalogError` of kind `notFound` for an unknown id, else as `page(of:at:)`.
    public func renditions(of photo: Photo) async throws -> Photo { try await source.withFiles(photo) }
}
