internal import SpyglassFetching

extension WebAddress {
    /// A valid address of this module.
    init(constant text: StaticString) {
        guard let address = WebAddress("\(text)") else { preconditionFailure("not an address: \(text)") }
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
