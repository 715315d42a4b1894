import SpyglassFetching

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
        var base = description
        if let mark = base.firstIndex(of: "?") { base = String(base[..<mark]) }
        while base.hasSuffix("/") { base.removeLast() }
        return WebAddress("\(base)/\(path)\(query.isEmpty ? "" : "?\(query)")")
    }

    /// The address that an `href` of an answer from here means (RFC 3986 section 5.2), or `nil` if
    /// it is none that can be fetched.
    func following(href: String) -> WebAddress? {
        let href = String(href.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard !href.isEmpty else { return nil }
        return (try? resolving(href))?.secureAtNASA
    }

    /// A value as part of a path or a query: everything but letters, digits and `-._~` becomes an escape
    /// (RFC 3986 section 2.3).
    static func encodedComponent(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default: bytes += [0x25, hexDigit(byte >> 4), hexDigit(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
}
