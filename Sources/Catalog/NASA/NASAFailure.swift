internal import SpyglassFetching
internal import SpyglassJSON

/// An answer that is not a success: `{"reason": …}`, a proxy's HTML, `{}`, or nothing at all.
struct NASAFailure {
    private let response: FetchResponse
    /// NASA's own words, when there are any.
    let reason: String?

    /// Bytes of a reason that are quoted.
    private static let reasonLimit = 300

    init(_ response: FetchResponse) {
        self.response = response
        // A reason has 100 bytes; megabytes of error are not read.
        guard response.body.count <= 1 << 16, let json = try? JSONValue(parsing: response.body) else {
            reason = nil
            return
        }
        let text = (json["reason"] ?? json["message"])?.text.map { PlainText.oneLine($0, limit: Self.reasonLimit) }
        reason = text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether it only says that there is no page `number` any more; the first page always is.
    func isEndOfResults(page number: Int) -> Bool {
        guard number > 1 else { return false }
        return switch response.status {
        case 400: reason?.hasPrefix(Self.ceilingReason) ?? false
        case 404: reason?.hasPrefix("No assets found for album") ?? false
        default: false
        }
    }

    private static let ceilingReason = "Maximum number of search results"

    /// Whether a 400 can be about this request.
    ///
    /// One that cannot was caused by another request: NASA's edge caches a 400 and hands it to the next valid requests
    /// for about ten seconds.
    func fits(_ request: NASARequest) -> Bool { blamedParameter(of: request) != nil }

    /// The parameter of the request that NASA complains about.
    ///
    /// NASA writes `Invalid search parameter: <name>` or `Invalid value <name>="<value>"`.
    private func blamedParameter(of request: NASARequest) -> NASARequest.Parameter? {
        guard let reason else { return nil }
        if let end = reason.place(of: "Invalid search parameter:")?.upperBound {
            return request.parameters.first { words(in: reason[end...]).contains($0.name) }
        }
        guard let end = reason.place(of: "Invalid value")?.upperBound else { return nil }
        return request.parameters.first { parameter in
            words(in: reason[end...]).contains(parameter.name)
                && reason[end...].holds(PlainText.oneLine(parameter.value, limit: Self.reasonLimit / 2))
        }
    }

    private func words(in text: Substring) -> [String] {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    }

    /// The error to report after this answer to `request`.
    func error(for request: NASARequest) -> CatalogError {
        let host = response.address.host
        let said = reason.map { ": \($0)" } ?? ""
        switch response.status {
        case 400:
            guard let blamed = blamedParameter(of: request) else {
                return CatalogError(
                    .unavailable, "\(host) refused the search (400)\(said); change it or try again later")
            }
            return CatalogError(
                .invalidQuery, "\(host) refused the search (400)\(said)", at: blamed.subject)
        case 403:
            let edge = response.headers["x-cache"]?.lowercased().holds("cloudfront") == true ? " of its edge" : ""
            return CatalogError(
                .unavailable,
                "\(host) refuses this network (403\(edge))\(said); try again later or from another network")
        case 404: return notFound(request, host: host, said: said)
        case 414:
            return CatalogError(.invalidQuery, "\(host) finds the search too long (414); use fewer words and filters")
        case 429:
            let pause = response.headers["retry-after"].map { " (it asks to wait \($0) s)" } ?? ""
            return CatalogError(.unavailable, "\(host) wants a pause (429)\(said); try again later\(pause)")
        case 500...599:
            return CatalogError(
                .unavailable, "\(host) has a fault of its own (\(response.status))\(said); try again later")
        default:
            return CatalogError(.unavailable, "\(host) answered with status \(response.status)\(said); try again later")
        }
    }

    private func notFound(_ request: NASARequest, host: String, said: String) -> CatalogError {
        switch request.resource {
        case .asset(let id):
            return CatalogError(.notFound, "\(host) does not know the item \(id) (404)\(said)")
        case .album(let name) where reason != nil:
            return CatalogError(
                .invalidQuery,
                "\(host) has no album '\(name)' (404); an album's internal name is needed, case and all,"
                    + " such as Mars_2020_Perseverance", at: .filter("album"))
        case .album, .search:
            return CatalogError(
                .unavailable,
                "\(host) has nothing at \(request.address.path) (404)\(said)", at: .endpoint)
        }
    }
}
