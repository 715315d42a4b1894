internal import SpyglassFetching

extension CatalogError {
    /// The error that an unsuccessful response means; `reason` is the service's own message.
    init(_ response: FetchResponse, reason: String?) {
        let host = response.address.host
        let status = response.status
        let why = reason.map { ": \($0)" } ?? ""
        switch status {
        case 400: self.init(.unavailable, "\(host): search refused (400)\(why); change it or try again later")
        case 403:
            let edge = response.headers["x-cache"]?.lowercased().holds("cloudfront") == true ? " by its edge" : ""
            self.init(
                .unavailable,
                "\(host): network refused (403\(edge))\(why); try again later or from another network")
        case 404:
            self.init(.unavailable, "\(host): nothing at \(response.address.path) (404)\(why)", at: .endpoint)
        case 414: self.init(.invalidQuery, "\(host): search too long (414); use fewer words and filters")
        case 429:
            let wait = response.headers["retry-after"].map { "in \($0) s" } ?? "later"
            self.init(.unavailable, "\(host): too many requests (429)\(why); try again \(wait)")
        case 500...599: self.init(.unavailable, "\(host): server error (\(status))\(why); try again later")
        default: self.init(.unavailable, "\(host): unexpected status \(status)\(why); try again later")
        }
    }

    /// A response that was successful but not usable.
    static func invalid(from host: String, _ why: String, at subject: Subject? = nil) -> CatalogError {
        CatalogError(.invalidResponse, "\(host): invalid response: \(why)", at: subject)
    }

    /// A cursor that `source` did not make.
    static func foreignCursor(of source: String) -> CatalogError {
        CatalogError(.invalidQuery, "\(source): this cursor belongs to another source; start the search again")
    }
}
