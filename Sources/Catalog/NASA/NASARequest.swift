internal import SpyglassFetching

/// The address of one request to NASA's API, and what it asked for, so that an error can be laid at the right door.
struct NASARequest: Hashable, Sendable {
    /// Which resource.
    enum Resource: Hashable, Sendable {
        case search
        case album(String)
        case asset(String)
    }

    /// A parameter of the address, before it is encoded.
    struct Parameter: Hashable, Sendable {
        let name: String
        let value: String
    }

    let resource: Resource
    let parameters: [Parameter]
    let address: WebAddress

    /// A page of a search; of an album when the query names one.
    ///
    /// Only what the query holds is sent: NASA refuses names that it does not know, and an empty `q` is another search
    /// than none. An album's pages take no filters, so that filters beside an album are an error rather than ignored.
    init(_ query: PhotoQuery, page: Int, endpoint: WebAddress) throws(CatalogError) {
        if let album = Self.given(query.album) {
            guard Self.filters(of: query).isEmpty else {
                throw CatalogError(
                    .option, "NASA's albums cannot be searched: leave words and other filters out", parameter: .album)
            }
            try self.init(
                .album(album), path: "album/\(Self.encoded(album))",
                parameters: [Parameter(name: "page", value: "\(page)")], endpoint: endpoint)
        } else {
            try Self.checkYears(of: query)
            let media = query.mediaTypes.isEmpty ? [.image] : MediaType.allCases.filter(query.mediaTypes.contains)
            try self.init(
                .search, path: "search",
                parameters: Self.filters(of: query) + [
                    Parameter(name: "media_type", value: media.map(\.rawValue).joined(separator: ",")),
                    Parameter(name: "page", value: "\(page)"),
                    Parameter(name: "page_size", value: "\(NASASource.pageSize)"),
                ], endpoint: endpoint)
        }
    }

    /// The list of one item's files.
    init(assetOf id: String, endpoint: WebAddress) throws(CatalogError) {
        try self.init(.asset(id), path: "asset/\(Self.encoded(id))", parameters: [], endpoint: endpoint)
    }

    private init(
        _ resource: Resource, path: String, parameters: [Parameter], endpoint: WebAddress
    ) throws(CatalogError) {
        let query = parameters.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
        guard let address = endpoint.appending(path: path, query: query) else {
            throw CatalogError(.option, "the search is too long for an address; use fewer words and filters")
        }
        self.resource = resource
        self.parameters = parameters
        self.address = address
    }

    /// The query's words and filters by NASA's names, in NASA's order.
    private static func filters(of query: PhotoQuery) -> [Parameter] {
        let keywords = query.keywords.compactMap(given).joined(separator: ",")
        let filters: [(String, String?)] = [
            ("q", given(query.text)),
            // Centres are matched with their case.
            ("center", given(query.center)?.uppercased()),
            ("keywords", given(keywords)),
            ("location", given(query.location)),
            ("nasa_id", given(query.id)),
            ("photographer", given(query.photographer)),
            ("title", given(query.title)),
            ("year_start", query.firstYear.map(fourDigits)),
            ("year_end", query.lastYear.map(fourDigits)),
        ]
        return filters.compactMap { name, value in value.map { Parameter(name: name, value: $0) } }
    }

    private static func checkYears(of query: PhotoQuery) throws(CatalogError) {
        for year in [query.firstYear, query.lastYear].compactMap({ $0 }) where !(1...9999).contains(year) {
            throw CatalogError(.option, "the year \(year) has not one to four digits", parameter: .years)
        }
        if let first = query.firstYear, let last = query.lastYear, first > last {
            throw CatalogError(.option, "the first year, \(first), is after the last, \(last)", parameter: .years)
        }
    }

    private static func fourDigits(_ year: Int) -> String {
        let digits = "\(year)"
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// The value without surrounding white space, or `nil` when nothing is left.
    private static func given(_ value: String?) -> String? {
        guard let value else { return nil }
        let trimmed = value.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    private static func encoded(_ text: String) -> String { PercentEncoding.component(text) }
}
