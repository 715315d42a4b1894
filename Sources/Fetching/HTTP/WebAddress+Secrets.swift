extension WebAddress: CustomStringConvertible {
    /// The address as it may be printed and logged: the values of keys, tokens and signatures are `***`.
    public var description: String {
        guard let query else { return text }
        return "\(scheme)://\(authority)\(path)?\(Self.hidingSecrets(inQuery: query))"
    }

    /// A text that starts like `https://` and was refused as an address, as reports may show it.
    ///
    /// The values of keys, tokens and signatures are `***`, and so is what could be a user name or a password: all between the scheme and the
    /// last at sign. The fragment is left out, and what is longer than `lengthLimit` bytes is cut.
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

    /// The description, cut to what fits in a message of one line.
    var shown: String {
        let longest = 200
        let whole = description
        return whole.utf8.count <= longest ? whole : "\(whole.prefix(longest))..."
    }

    /// The address without keys, tokens and signatures: what may be stored.
    public var withoutSecrets: WebAddress {
        guard let query else { return self }
        let items = query.split(separator: "&", omittingEmptySubsequences: false)
        let kept = items.filter { item in !Secrets.isSecret(nameInQuery: item.prefix { $0 != "=" }) }
        guard kept.count < items.count else { return self }
        return WebAddress(
            scheme: scheme, host: host, port: port, path: path,
            query: kept.isEmpty ? nil : kept.joined(separator: "&"))
    }

    /// What two addresses share when one recorded answer serves both: host, path and sorted query, in one spelling.
    ///
    /// The scheme does not count, nor do secrets, the order of the query, or which way a character is encoded.
    public var archiveKey: String {
        let folders = Array(path.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let spelled = folders.map {
            String(decoding: PercentEncoding.component(PercentEncoding.decoded($0)), as: UTF8.self)
        }
        let key = authority + spelled.joined(separator: "/")
        let items = rawQueryItems.filter { !Secrets.isSecret($0.name) }.map { Self.queryItem($0.name, $0.value) }
        return items.isEmpty ? key : "\(key)?\(items.sorted().joined(separator: "&"))"
    }
}

/// Which names of query items and header fields stand before something that must not be stored or shown.
enum Secrets {
    private static let names: Set<String> = [
        "key", "token", "sig", "auth", "cookie", "hmac", "session", "sid", "pwd", "pass",
        "jwt", "bearer", "csrftoken",
    ]
    /// A bare `token` is a secret, a `pageToken` is not: pages would become one.
    private static let parts = [
        "apikey", "accesskey", "subscriptionkey", "apitoken", "accesstoken", "authtoken", "oauthtoken", "refreshtoken",
        "securitytoken", "sessiontoken", "secret", "signature", "password", "credential", "cookie", "authoriz",
        "authentic",
    ]

    /// Whether a name, without regard to case, hyphens and underscores, is one of a secret.
    static func isSecret(_ name: some Collection<UInt8>) -> Bool {
        let letters = name.filter { PercentEncoding.isAlphanumeric($0) }
        let plain = String(decoding: letters, as: UTF8.self).lowercased()
        return names.contains(plain) || parts.contains { plain.holds($0) }
    }

    static func isSecret(nameInQuery name: Substring) -> Bool {
        isSecret(PercentEncoding.decoded(Array(name.utf8)[...], plusIsSpace: true))
    }
}
