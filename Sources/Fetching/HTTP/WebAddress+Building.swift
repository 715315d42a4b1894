extension WebAddress {
    /// Resolves a reference, such as a `Location` or a link, against this address (RFC 3986 section 5.2).
    ///
    /// Raw characters are encoded as by `init(_:)`.
    ///
    /// - Throws: `FetchError` of kind `disallowed` unless the result is an http or https address.
    public func resolving(_ reference: String) throws(FetchError) -> WebAddress {
        let parts = AddressReference(try Self.checkedBytes(reference))
        if parts.scheme != nil { return try WebAddress(validating: reference) }
        if let authority = parts.authority {
            return try WebAddress(
                scheme: scheme, authority: authority, path: parts.path, query: parts.query, in: reference)
        }
        let ownQuery = query.map { Array($0.utf8)[...] }
        var target = Array(path.utf8)
        if parts.path.first == UInt8(ascii: "/") {
            target = AddressReference.removingDotSegments(parts.path)
        } else if !parts.path.isEmpty {
            let folder = target.lastIndex(of: UInt8(ascii: "/")).map { target[...$0] } ?? []
            target = AddressReference.removingDotSegments(folder + parts.path)
        }
        return try WebAddress(
            scheme: scheme, authority: Array(authority.utf8)[...], path: target[...],
            query: parts.query ?? (parts.path.isEmpty ? ownQuery : nil), in: reference)
    }

    /// This address over https.
    package var upgradedToHTTPS: WebAddress {
        WebAddress(scheme: "https", host: host, port: port, path: path, query: query)
    }

    /// Adds names and values to the query.
    ///
    /// Both are plain text: all but unreserved characters are percent-encoded, a space as `%20`.
    public func appending(query items: [(String, String)]) -> WebAddress {
        guard !items.isEmpty else { return self }
        let added = items.map { Self.queryItem($0.0.utf8, $0.1.utf8) }.joined(separator: "&")
        let joined = query.map { $0.isEmpty ? added : "\($0)&\(added)" } ?? added
        return WebAddress(scheme: scheme, host: host, port: port, path: path, query: joined)
    }

    /// The decoded names and values of the query, in order; `+` is a space, as in HTML forms.
    package var queryItems: [(name: String, value: String)] {
        rawQueryItems.map { (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self)) }
    }

    var rawQueryItems: [(name: [UInt8], value: [UInt8])] {
        guard let query else { return [] }
        return Array(query.utf8).split(separator: UInt8(ascii: "&")).map { item in
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            let value = item[name.endIndex...].dropFirst()
            return (PercentEncoding.decoded(name, plusIsSpace: true), PercentEncoding.decoded(value, plusIsSpace: true))
        }
    }

    static func queryItem(_ name: some Sequence<UInt8>, _ value: some Sequence<UInt8>) -> String {
        "\(PercentEncoding.component(name))=\(PercentEncoding.component(value))"
    }
}

/// The raw parts of an address or a relative reference (RFC 3986 appendix B), without the fragment.
struct AddressReference {
    private(set) var scheme: String?
    private(set) var authority: ArraySlice<UInt8>?
    private(set) var path: ArraySlice<UInt8>
    private(set) var query: ArraySlice<UInt8>?

    init(_ bytes: [UInt8]) {
        var rest = bytes.prefix { $0 != UInt8(ascii: "#") }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
            rest = rest[(colon + 1)...]
        }
        let slash = UInt8(ascii: "/")
        if rest.first == slash, rest.dropFirst().first == slash {
            let afterSlashes = rest.dropFirst(2)
            let authority = afterSlashes.prefix { $0 != slash && $0 != UInt8(ascii: "?") }
            self.authority = authority
            rest = rest[authority.endIndex...]
        }
        path = rest.prefix { $0 != UInt8(ascii: "?") }
        if path.endIndex < rest.endIndex { query = rest[(path.endIndex + 1)...] }
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, PercentEncoding.isAlphanumeric(first), first > UInt8(ascii: "9") else {
            return false
        }
        return bytes.allSatisfy { PercentEncoding.isAlphanumeric($0) || "+-.".utf8.contains($0) }
    }

    /// RFC 3986 section 5.2.4.
    static func removingDotSegments(_ path: some Collection<UInt8>) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var kept: [ArraySlice<UInt8>] = []
        let segments = Array(path).split(separator: slash, omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch String(decoding: segment, as: UTF8.self) {
            case ".": if isLast { kept.append([]) }
            case "..":
                // The first element is before the first slash and stays.
                if kept.count > 1 { kept.removeLast() }
                if isLast { kept.append([]) }
            default: kept.append(segment)
            }
        }
        return Array(kept.joined(separator: [slash]))
    }
}
