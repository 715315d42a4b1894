extension WebAddress: CustomStringConvertible {
    /// The address for printing and logs: values of keys, tokens and signatures are `***`.
    public var description: String {
        guard let query else { return text }
        return "\(scheme)://\(authority)\(path)?\(Self.hidingSecrets(inQuery: query))"
    }

    /// A refused address for reports, at most `lengthLimit` bytes without the fragment.
    ///
    /// Values of keys, tokens and signatures are `***`, as is everything between the scheme and the last at sign.
    package static func description(ofRefused text: String) -> String {
        var start = ""
        var rest = text.utf8[...]
        if let sign = rest.lastIndex(of: UInt8(ascii: "@")) {
            start = String(Substring(rest.prefix { $0 != UInt8(ascii: ":") })) + "://***"
            rest = rest[sign...]
        }
        rest = rest.prefix(lengthLimit).prefix { $0 != UInt8(ascii: "#") }
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        start += String(decoding: path, as: UTF8.self)
        guard path.endIndex < rest.endIndex else { return start }
        return "\(start)?\(hidingSecrets(inQuery: String(decoding: rest[path.endIndex...].dropFirst(), as: UTF8.self)))"
    }

    private static func hidingSecrets(inQuery query: String) -> String {
        let items = query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != "=" }
            return Secrets.isSecret(nameInQuery: name) ? "\(name)=***" : String(item)
        }
        return items.joined(separator: "&")
    }

    /// The description, cut for a message of one line.
    var shown: String {
        let longest = 200
        let whole = description
        return whole.utf8.count <= longest ? whole : "\(whole.prefix(longest))..."
    }

    /// The address without keys, tokens and signatures, for storage.
    public var withoutSecrets: WebAddress {
        guard let query else { return self }
        let items = query.split(separator: "&", omittingEmptySubsequences: false)
        let kept = items.filter { item in !Secrets.isSecret(nameInQuery: item.prefix { $0 != "=" }) }
        guard kept.count < items.count else { return self }
        return WebAddress(
            scheme: scheme, host: host, port: port, path: path,
            query: kept.isEmpty ? nil : kept.joined(separator: "&"))
    }

    /// The key of a recorded response: host, path and sorted query in one spelling.
    ///
    /// Scheme, secrets, the order of the query and percent-encoding do not count.
    var archiveKey: String {
        let folders = Array(path.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let spelled = folders.map {
            String(decoding: PercentEncoding.component(PercentEncoding.decoded($0)), as: UTF8.self)
        }
        let key = authority + spelled.joined(separator: "/")
        let items = rawQueryItems.filter { !Secrets.isSecret($0.name) }.map { Self.queryItem($0.name, $0.value) }
        return items.isEmpty ? key : "\(key)?\(items.sorted().joined(separator: "&"))"
    }
}

/// Names of query items and header fields with secret values.
enum Secrets {
    private static let names: Set<String> = [
        "key", "token", "sig", "auth", "cookie", "hmac", "session", "sid", "pwd", "pass",
        "jwt", "bearer", "csrftoken",
    ]
    /// A bare `token` is a secret; a `pageToken` is not, or all pages would be one.
    private static let parts = [
        "apikey", "accesskey", "subscriptionkey", "apitoken", "accesstoken", "authtoken", "oauthtoken", "refreshtoken",
        "securitytoken", "sessiontoken", "secret", "signature", "password", "credential", "cookie", "authoriz",
        "authentic",
    ]

    /// Ignores case, hyphens and underscores.
    static func isSecret(_ name: some Collection<UInt8>) -> Bool {
        let letters = name.filter { PercentEncoding.isAlphanumeric($0) }
        let plain = String(decoding: letters, as: UTF8.self).lowercased()
        return names.contains(plain) || parts.contains { plain.containsBytes(of: $0) }
    }

    static func isSecret(nameInQuery name: Substring) -> Bool {
        isSecret(PercentEncoding.decoded(Array(name.utf8)[...], plusIsSpace: true))
    }
}
