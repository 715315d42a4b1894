internal import SpyglassFetching
internal import SpyglassJSON

/// An unsuccessful response: `{"reason": ...}`, a proxy's HTML, `{}`, or an empty body.
struct NASAFailure {
    private let response: FetchResponse
    /// The reason that the API states.
    let reason: String?
    /// The reason in a body that is not JSON.
    private let pageReason: String?

    init(_ response: FetchResponse) {
        self.response = response
        // Reasons have about 100 bytes; larger bodies are not parsed.
        guard response.body.count <= 1 << 16, let json = try? JSONValue(parsing: response.body) else {
            reason = nil
            pageReason = response.pageReason
            return
        }
        reason = json.reason.flatMap(CatalogError.reason)
        pageReason = nil
    }

    func isEndOfResults(page number: Int) -> Bool {
        guard number > 1 else { return false }
        return switch response.status {
        case 400: reason?.hasPrefix("Maximum number of search results") ?? false
        case 404: reason?.hasPrefix("No assets found for album") ?? false
        default: false
        }
    }

    /// Whether a 400 is about this request: NASA's edge returns a cached 400 to valid requests for about 10 s.
    func fits(_ request: NASARequest) -> Bool { blamedParameter(of: request) != nil }

    /// The parameter in `Invalid search parameter: <name>` or `Invalid value <name>="<value>"`.
    private func blamedParameter(of request: NASARequest) -> NASARequest.Parameter? {
        guard let reason else { return nil }
        if let end = reason.byteRange(of: "Invalid search parameter:")?.upperBound {
            return request.parameters.first { words(in: reason[end...]).contains($0.name) }
        }
        guard let end = reason.byteRange(of: "Invalid value")?.upperBound else { return nil }
        return request.parameters.first { parameter in
            words(in: reason[end...]).contains(parameter.name)
                && reason[end...].containsBytes(
                    of: PlainText.oneLine(parameter.value, limit: CatalogError.maxReasonBytes / 2))
        }
    }

    private func words(in text: Substring) -> [String] {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    }

    func error(for request: NASARequest) -> CatalogError {
        let host = response.address.host
        let reason = reason ?? pageReason
        let why = reason.map { ": \($0)" } ?? ""
        switch (response.status, request.resource) {
        case (400, _):
            guard let parameter = blamedParameter(of: request) else { break }
            return CatalogError(.invalidQuery, "\(host): search refused (400)\(why)", at: parameter.subject)
        case (404, .asset(let id)): return CatalogError(.notFound, "\(host): unknown item \(id) (404)\(why)")
        case (404, .album(let name)) where self.reason != nil:
            return CatalogError(
                .invalidQuery,
                "\(host): unknown album '\(name)' (404); use its internal name in the right case,"
                    + " such as Mars_2020_Perseverance", at: .filter("album"))
        default: break
        }
        return CatalogError(response, reason: reason)
    }
}
