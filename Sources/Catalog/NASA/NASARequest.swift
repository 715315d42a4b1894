internal import SpyglassFetching

/// One request to NASA's API, with the part of the query that each parameter comes from.
struct NASARequest: Hashable, Sendable {
    enum Resource: Hashable, Sendable {
        case search
        case album(String)
        case asset(String)
    }

    struct Parameter: Hashable, Sendable {
        let name: String
        let value: String
        let subject: CatalogError.Subject?
    }

    let resource: Resource
    let parameters: [Parameter]
    let address: WebAddress

    /// A page of a search or of an album; an album takes no other filters, and an empty `q` differs from none.
    init(_ query: PhotoQuery, page: Int, endpoint: WebAddress) throws(CatalogError) {
        let query = try query.checked(by: NASASource.filters, of: "nasa")
        let parameters = Self.parameters(of: query)
        let number = Parameter(name: "page", value: "\(page)", subject: .page)
        if let album = query["album"].first {
            guard parameters.allSatisfy({ $0.name == NASAFilter.mediaType }) else {
                throw CatalogError(
                    .invalidQuery, "an album cannot be searched: remove all words and other filters",
                    at: .filter("album"))
            }
            try self.init(
                .album(album), path: "album/\(PercentEncoding.component(album))", parameters: [number],
                endpoint: endpoint)
        } else {
            let size = Parameter(name: "page_size", value: "\(NASASource.pageSize)", subject: nil)
            try self.init(.search, path: "search", parameters: parameters + [number, size], endpoint: endpoint)
        }
    }

    init(assetOf id: String, endpoint: WebAddress) throws(CatalogError) {
        try self.init(.asset(id), path: "asset/\(PercentEncoding.component(id))", parameters: [], endpoint: endpoint)
    }

    private init(
        _ resource: Resource, path: String, parameters: [Parameter], endpoint: WebAddress
    ) throws(CatalogError) {
        let query = parameters.map { "\($0.name)=\(PercentEncoding.component($0.value))" }.joined(separator: "&")
        guard let address = endpoint.appending(path: path, query: query) else {
            throw CatalogError(.invalidQuery, "the search is too long for a URL; use fewer words and filters")
        }
        self.resource = resource
        self.parameters = parameters
        self.address = address
    }

    /// The words, the filters by NASA's names, the media types: caches and archives depend on this order.
    private static func parameters(of query: PhotoQuery) -> [Parameter] {
        func key(_ filter: NASAFilter) -> (Int, String) {
            (filter.parameter == NASAFilter.mediaType ? 1 : 0, filter.parameter ?? "")
        }
        let words = query.text.isEmpty ? [] : [Parameter(name: "q", value: query.text, subject: .text)]
        return words + NASASource.declarations.sorted { key($0) < key($1) }.flatMap { $0.parameters(of: query) }
    }
}

struct NASAFilter: Sendable {
    static let mediaType = "media_type"

    /// `nil` for a filter that is not a parameter of a search.
    let parameter: String?
    let filter: PhotoFilter

    init(_ parameter: String?, _ filter: PhotoFilter) {
        self.parameter = parameter
        self.filter = filter
    }

    /// Years become `_start` and `_end`; lists are joined with commas.
    func parameters(of query: PhotoQuery) -> [NASARequest.Parameter] {
        let given = query[filter.name]
        var values = given.isEmpty ? filter.defaultValues : given
        guard let parameter, let first = values.first else { return [] }
        let subject = CatalogError.Subject.filter(filter.name)
        if filter.form == .years {
            return [("start", first.prefix(4)), ("end", first.suffix(4))].map { edge, year in
                NASARequest.Parameter(name: "\(parameter)_\(edge)", value: String(year), subject: subject)
            }
        }
        // One order, so that equal searches have equal addresses.
        if !filter.choices.isEmpty { values = filter.choices.filter(values.contains) }
        return [NASARequest.Parameter(name: parameter, value: values.joined(separator: ","), subject: subject)]
    }
}

extension WebAddress {
    init(constant text: StaticString) {
        guard let address = WebAddress("\(text)") else { preconditionFailure("invalid URL: \(text)") }
        self = address
    }

    /// The address over https if the host is `nasa.gov` or below: NASA's responses still name `http://` files.
    var secureAtNASA: WebAddress {
        guard port == nil, host == "nasa.gov" || host.hasSuffix(".nasa.gov") else { return self }
        return upgradedToHTTPS
    }

    /// This base with an encoded path and query; `nil` if the result is too long.
    func appending(path: String, query: String) -> WebAddress? {
        var base = text
        if let mark = base.firstIndex(of: "?") { base = String(base[..<mark]) }
        while base.hasSuffix("/") { base.removeLast() }
        return WebAddress("\(base)/\(path)\(query.isEmpty ? "" : "?\(query)")")
    }

    /// The address of an `href` in a response from here (RFC 3986 section 5.2); `nil` if it is invalid.
    func following(href: String) -> WebAddress? {
        let href = href.trimmed
        return href.isEmpty ? nil : (try? resolving(href))?.secureAtNASA
    }
}
