/// An `http` or `https` address, percent-encoded once and ready to be sent.
///
///     WebAddress("http://images-assets.nasa.gov/image/As 11/As 11~thumb.jpg")?.text
///     // http://images-assets.nasa.gov/image/As%2011/As%2011~thumb.jpg
///
/// Other schemes, user names, an empty host and control characters are invalid. So are hosts with letters beyond ASCII: write their
/// `xn--` form. The fragment is dropped, since it is never sent (RFC 3986 section 3.5).
public struct WebAddress: Hashable, Sendable {
    /// The whole address as sent; it may contain a secret, so print `description`.
    public let text: String

    /// `http` or `https`, lower case.
    public var scheme: String { text.utf8.dropFirst(4).first == UInt8(ascii: "s") ? "https" : "http" }
    /// The host, lower case; an IPv6 address with brackets.
    public var host: String { String(Substring(hostBytes)) }
    /// The port, unless it is the scheme's default.
    public var port: Int? { Substring(authorityBytes[hostBytes.endIndex...].dropFirst()).decimal }
    /// The path from its first slash, percent-encoded.
    public var path: String {
        String(Substring(text.utf8[authorityBytes.endIndex...].prefix { $0 != UInt8(ascii: "?") }))
    }
    /// The text after the question mark, percent-encoded; `nil` without a question mark.
    public var query: String? {
        text.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(text[$0...].dropFirst()) }
    }

    var authority: String { String(Substring(authorityBytes)) }

    private var authorityBytes: Substring.UTF8View {
        text.utf8.dropFirst(scheme.utf8.count + "://".utf8.count).prefix { $0 != UInt8(ascii: "/") }
    }

    private var hostBytes: Substring.UTF8View {
        let authority = authorityBytes
        // An IPv6 address has colons in its brackets.
        let colons = authority[(authority.firstIndex(of: UInt8(ascii: "]")) ?? authority.startIndex)...]
        return authority[..<(colons.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex)]
    }

    /// The maximum in bytes, once encoded: the usual limit of servers for a request line.
    package static let lengthLimit = 8192

    /// Parses an address and encodes raw characters: spaces, letters beyond ASCII and others that RFC 3986 disallows.
    ///
    /// Valid escapes stay, so nothing is encoded twice.
    public init?(_ text: String) {
        guard let address = try? WebAddress(validating: text) else { return nil }
        self = address
    }

    /// Parses an address as `init(_:)` does, with a reason for failures.
    ///
    /// - Throws: `FetchError` of kind `disallowed`.
    public init(validating text: String) throws(FetchError) {
        let reference = AddressReference(try Self.checkedBytes(text))
        guard let scheme = reference.scheme, Self.defaultPort(of: scheme) != nil else {
            throw Self.refusal(text, "not an http or https address")
        }
        guard let authority = reference.authority else { throw Self.refusal(text, "no host name") }
        try self.init(scheme: scheme, authority: authority, path: reference.path, query: reference.query, in: text)
    }

    init(
        scheme: String, authority: ArraySlice<UInt8>, path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?,
        in text: String
    ) throws(FetchError) {
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw FetchError(.disallowed, "addresses with a user name or password are not allowed")
        }
        let (host, port) = try Self.hostAndPort(authority, in: text)
        self.init(
            scheme: scheme, host: host, port: port, path: path.isEmpty ? "/" : PercentEncoding.repaired(path),
            query: query.map(PercentEncoding.repaired))
        guard self.text.utf8.count <= Self.lengthLimit else { throw Self.tooLong }
    }

    /// The parts must be valid.
    init(scheme: String, host: String, port: Int?, path: String, query: String?) {
        let port = port == Self.defaultPort(of: scheme) ? nil : port
        text = "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(path)\(query.map { "?\($0)" } ?? "")"
    }

    /// `nil` for a scheme that is not fetched.
    private static func defaultPort(of scheme: String) -> Int? { scheme == "http" ? 80 : scheme == "https" ? 443 : nil }
    /// RFC 1035 section 2.3.4.
    private static let hostLengthLimit = 253
    private static let labelLengthLimit = 63

    private static let tooLong = FetchError(.disallowed, "address longer than \(lengthLimit) bytes")

    static func checkedBytes(_ text: String) throws(FetchError) -> [UInt8] {
        guard text.utf8.count <= lengthLimit else { throw tooLong }
        let bytes = Array(text.utf8)
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            throw refusal(text, "contains a control character")
        }
        return bytes
    }

    private static func refusal(_ text: String, _ reason: String) -> FetchError {
        FetchError(.disallowed, "\(quoted(text)): \(reason)")
    }

    /// The start of an unparsed address for messages: printable ASCII, without anything between scheme and at sign.
    static func quoted(_ text: String) -> String {
        let isSlash = { $0 == UInt8(ascii: "/") }
        let scheme = text.utf8.prefix { PercentEncoding.isAlphanumeric($0) || "+-.:".utf8.contains($0) }
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            let hasScheme = scheme.last == UInt8(ascii: ":") && text.utf8[scheme.endIndex...].first.map(isSlash) == true
            return "'\(hasScheme ? "\(Substring(scheme))//" : "")***'"
        }
        let shown = text.utf8.prefix(80).prefix { !"?#;".utf8.contains($0) }
        return "'\(String(decoding: shown.map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self))'"
    }

    private static func hostAndPort(_ authority: ArraySlice<UInt8>, in text: String) throws(FetchError) -> (
        String, Int?
    ) {
        var host = authority.prefix { $0 != UInt8(ascii: ":") }
        if authority.first == UInt8(ascii: "["), let bracket = authority.firstIndex(of: UInt8(ascii: "]")) {
            host = authority[...bracket]
        }
        let name = String(decoding: host, as: UTF8.self).lowercased()
        guard !name.isEmpty else { throw refusal(text, "no host name") }
        guard host.allSatisfy({ $0 < 0x80 }) else {
            throw refusal(text, "host name with non-ASCII letters; write it as xn--...")
        }
        guard isHost(name) else { throw refusal(text, "invalid host name") }
        let behind = authority[host.endIndex...]
        guard behind.isEmpty || behind.first == UInt8(ascii: ":") else { throw refusal(text, "invalid host name") }
        guard behind.count > 1 else { return (name, nil) }
        let digits = behind.dropFirst()
        guard digits.count <= 5, let port = String(decoding: digits, as: UTF8.self).decimal, (1...65535).contains(port)
        else { throw refusal(text, "invalid port") }
        return (name, port)
    }

    private static func isHost(_ name: String) -> Bool {
        if name.hasPrefix("[") { return name.hasSuffix("]") && IPAddress(literal: name) != nil }
        guard name.utf8.count <= hostLengthLimit else { return false }
        // The last label may be empty: the root.
        var labelLength = 0
        for byte in name.utf8 {
            if byte == UInt8(ascii: ".") {
                guard labelLength > 0 else { return false }
                labelLength = 0
            } else {
                labelLength += 1
                guard labelLength <= labelLengthLimit,
                    PercentEncoding.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                else { return false }
            }
        }
        return true
    }
}
