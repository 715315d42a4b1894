internal import SpyglassFetching

extension WebAddress {
    /// An address that is written in this module.
    init(trusted text: StaticString) {
        guard let address = WebAddress("\(text)") else { preconditionFailure("not an address: \(text)") }
        self = address
    }

    /// The same address over https when the host is `nasa.gov` or below it: NASA's answers still name `http://` files,
    /// which would only be redirected.
    var secureAtNASA: WebAddress {
        guard port == nil, host == "nasa.gov" || host.hasSuffix(".nasa.gov") else { return self }
        return upgradedToHTTPS
    }

    /// This base with a path and a query behind it, both encoded already; `nil` when it would be too long.
    func appending(path: String, query: String) -> WebAddress? {
        var base = text
        if let mark = base.firstIndex(of: "?") { base = String(base[..<mark]) }
        while base.hasSuffix("/") { base.removeLast() }
        return WebAddress("\(base)/\(path)\(query.isEmpty ? "" : "?\(query)")")
    }

    /// The address that an `href` of an answer from here means (RFC 3986 section 5.2), or `nil` if
    /// it is none that can be fetched.
    func following(href: String) -> WebAddress? {
        let href = href.trimmed
        return href.isEmpty ? nil : (try? resolving(href))?.secureAtNASA
    }
}
