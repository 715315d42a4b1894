internal import SpyglassCaching

extension WebAddress: CustomStringConvertible {
    /// The address for printing and logs: values of keys, tokens, passwords, codes and the like are `***`.
    public var description: String {
        guard mayHoldSecrets else { return text }
        let shownPath = Self.masked(path.utf8[...], items: "/", values: ";")
        let shownQuery = query.map { "?\(Self.masked($0.utf8[...], items: "&", values: "="))" } ?? ""
        return "\(scheme)://\(authority)\(shownPath)\(shownQuery)"
    }

    private var mayHoldSecrets: Bool { query != nil || path.utf8.contains(UInt8(ascii: ";")) || hasPathOfUser }

    /// Whether the path contains a URL with a name and a password.
    private var hasPathOfUser: Bool {
        path.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%") }
            && path.utf8.split(separator: UInt8(ascii: "/")).contains(where: Secrets.hasUser)
    }

    /// Whether a response may be cached: the address names no user, password or session.
    package var isCacheable: Bool {
        guard mayHoldSecrets else { return true }
        return !Secrets.names(in: parameters).contains(where: Secrets.isPersonal) && !keepsSecrets
    }

    /// Whether `withoutSecrets` keeps a secret.
    private var keepsSecrets: Bool {
        hasPathOfUser || Secrets.names(in: withoutSecrets.parameters).contains(where: Secrets.isHidden)
    }

    /// The query and the parameters of the path, which follow semicolons (RFC 3986 section 3.3).
    private var parameters: Substring.UTF8View {
        let ofPath = path.split(separator: "/").flatMap { $0.split(separator: ";").dropFirst() }
        return (ofPath + [Substring(query ?? "")]).joined(separator: "&")[...].utf8
    }

    /// The description, with a hash if it hides something, so that it differs for each other address.
    package var distinctDescription: String {
        let shown = description
        return shown == text ? shown : "\(shown)~\(Self.hash(Array(text.utf8)))"
    }

    /// The description, equal for addresses that differ only in keys, tokens and signatures, which change from day to day; with a
    /// hash if another secret is hidden.
    package var lastingDescription: String {
        guard mayHoldSecrets, keepsSecrets else { return description }
        return "\(description)~\(Self.hash(Array(withoutSecrets.text.utf8)))"
    }

    /// 64 bits that do not lead back to a secret, unless it can be guessed.
    private static func hash(_ bytes: [UInt8]) -> Substring { SHA256.text(of: bytes).prefix(16) }

    /// The address for storage: each key, token and signature is replaced by a hash of it, since it may name the image.
    ///
    /// `nil` with a password or another secret that is short enough to be guessed from its hash.
    package var storable: WebAddress? { mayHoldSecrets && keepsSecrets ? nil : hashingSecrets }

    private var hashingSecrets: WebAddress {
        replacingSecrets { item in
            let end = item.firstIndex(of: "=") ?? item.endIndex
            let value = PercentEncoding.decoded(Array(item[end...].dropFirst().utf8)[...], plusIsSpace: true)
            // A stored address has no other stored form.
            guard !value.starts(with: Self.hashPrefix.utf8) else { return item }
            return "\(item[..<end])=\(Self.hashPrefix)\(Self.hash(value))"
        }
    }

    private static let hashPrefix = "sha256-"

    /// Returns at most `lengthLimit` bytes without the fragment; secrets are `***`, as is all between scheme and last at sign.
    package static func description(ofRefused text: String) -> String {
        var start = ""
        var rest = text.utf8[...]
        if let sign = rest.lastIndex(of: UInt8(ascii: "@")) {
            start = String(Substring(rest.prefix { $0 != UInt8(ascii: ":") })) + "://***"
            rest = rest[sign...]
        }
        rest = rest.prefix(lengthLimit).prefix { $0 != UInt8(ascii: "#") }
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        start += masked(path, items: "/", values: ";")
        guard path.endIndex < rest.endIndex else { return start }
        return "\(start)?\(masked(rest[path.endIndex...].dropFirst(), items: "&", values: "="))"
    }

    /// Replaces the values of items that contain the name of a secret.
    private static func masked(_ text: Substring.UTF8View, items: Unicode.Scalar, values: Unicode.Scalar) -> String {
        text.split(separator: UInt8(ascii: items), omittingEmptySubsequences: false).map { item in
            let end = item.firstIndex(of: UInt8(ascii: values))
            if Secrets.hasUser(item[..<(end ?? item.endIndex)]) { return "***" }
            guard let end, Secrets.names(in: values == ";" ? item[end...] : item).contains(where: Secrets.isHidden)
            else { return String(Substring(item)) }
            return "\(Substring(item[...end]))***"
        }.joined(separator: String(items))
    }

    /// Returns a message of another library or a service without the queries and user names of its addresses.
    package static func redacting(_ message: String) -> String {
        // A proxy's password may contain spaces and quotes.
        if message.utf8.contains(UInt8(ascii: "@")) || message.containsBytes(of: "proxy"),
            let quote = message.firstIndex(of: "'"), let last = message.lastIndex(of: "'"), quote < last
        {
            return "\(message[...quote])***\(message[last...])"
        }
        return message.split(separator: " ", omittingEmptySubsequences: false).map { word in
            var shown = String(word)
            if let mark = shown.firstIndex(of: "?"), shown.index(after: mark) < shown.endIndex {
                shown = "\(shown[...mark])***"
            }
            guard let sign = shown.lastIndex(of: "@"), shown[..<sign].contains(":") else { return shown }
            return "***\(shown[sign...])"
        }.joined(separator: " ")
    }

    var shown: String {
        let longest = 200
        let whole = description
        return whole.utf8.count <= longest ? whole : "\(whole.prefix(longest))..."
    }

    /// The address without keys, tokens and signatures.
    package var withoutSecrets: WebAddress { replacingSecrets { _ in nil } }

    private func replacingSecrets(by replacement: (Substring) -> Substring?) -> WebAddress {
        replacingItems { item, name in
            let name = PercentEncoding.decoded(Array(name.utf8)[...], plusIsSpace: true)
            return Secrets.isSecret(name) ? replacement(item) : item
        }
    }

    /// The address without a parameter of its query.
    func without(parameter: String?) -> WebAddress {
        guard let parameter else { return self }
        return replacingItems { item, name in name == parameter ? nil : item }
    }

    private func replacingItems(by replacement: (Substring, _ name: Substring) -> Substring?) -> WebAddress {
        guard let query else { return self }
        let items = query.split(separator: "&", omittingEmptySubsequences: false)
        let kept = items.compactMap { item in replacement(item, item.prefix { $0 != "=" }) }
        guard kept != items else { return self }
        return WebAddress(
            scheme: scheme, host: host, port: port, path: path,
            query: kept.isEmpty ? nil : kept.joined(separator: "&"))
    }

    /// Host, path and sorted query of the stored address in one spelling: scheme, the order of the query and percent-encoding do
    /// not count.
    var archiveKey: String {
        let folders = Array(path.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let spelled = folders.map { PercentEncoding.component(PercentEncoding.decoded($0)) }
        let key = authority + spelled.joined(separator: "/")
        let items = hashingSecrets.rawQueryItems.map { Self.queryItem($0.name, $0.value) }
        return items.isEmpty ? key : "\(key)?\(items.sorted().joined(separator: "&"))"
    }
}

/// Names of secrets: those that stored addresses have hashes of, and those of users, whose responses are not cached; messages
/// hide both.
enum Secrets {
    private static let names: Set<String> = [
        "key", "token", "sig", "auth", "cookie", "hmac", "session", "sid", "jwt", "bearer", "csrftoken",
        "sign",
    ]
    /// A bare `token` is a secret; a `pageToken` is not, or all pages would be one.
    private static let parts = [
        "apikey", "accesskey", "subscriptionkey", "apitoken", "accesstoken", "authtoken", "oauthtoken", "refreshtoken",
        "securitytoken", "sessiontoken", "sessionkey", "xauth", "privatekey", "authkey", "licensekey", "secret",
        "signature", "credential",
        "cookie", "authoriz", "authentic",
    ]
    // A response is not stored if its address has one of these: it may be for one user only.
    private static let personalNames: Set<String> = [
        "auth", "cookie", "session", "sid", "pwd", "pass", "jwt", "bearer", "code", "ticket", "policy", "pw", "pin",
        "otp", "hdnea", "hdnts", "hdntl", "oauthverifier", "verificationcode",
    ]
    private static let personalParts = [
        "accesstoken", "authtoken", "oauthtoken", "refreshtoken", "sessiontoken", "csrftoken", "idtoken", "password",
        "passwd", "passphrase", "passcode", "authcode", "sessionid", "sessid", "cookie", "authoriz", "authentic",
    ]

    /// Parts of names that end with `token`, but hold a place in a list, not a secret.
    private static let placeParts = [
        "page", "pagin", "paging", "next", "previous", "contin", "cursor", "sync", "resum", "start", "skip", "delta",
        "scroll", "offset", "more", "change",
    ]

    /// Whether stored addresses have a hash of the value; ignores case, hyphens and underscores.
    static func isSecret(_ name: some Collection<UInt8>) -> Bool { isListed(plain(name), names, parts) }

    /// Whether a response to an address with this name is not stored.
    static func isPersonal(_ name: some Collection<UInt8>) -> Bool {
        let plain = plain(name)
        return isListed(plain, personalNames, personalParts)
            || plain.hasSuffix("token") && !isListed(plain, names, parts) && !isListed(plain, ["prevtoken"], placeParts)
    }

    static func isHidden(_ name: some Collection<UInt8>) -> Bool { isSecret(name) || isPersonal(name) }

    private static func plain(_ name: some Collection<UInt8>) -> String {
        String(decoding: name.filter { PercentEncoding.isAlphanumeric($0) }, as: UTF8.self).lowercased()
    }

    private static func isListed(_ plain: String, _ names: Set<String>, _ parts: [String]) -> Bool {
        names.contains(plain) || parts.contains { plain.containsBytes(of: $0) }
    }

    /// Returns all names before an equals sign, also those of addresses and lists within values.
    static func names(in text: Substring.UTF8View) -> [ArraySlice<UInt8>] {
        let text = PercentEncoding.decoded(Array(text)[...], plusIsSpace: true)
        return text.split { "?&;~ <>,\"".utf8.contains($0) }.flatMap { part in
            part.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false).dropLast()
                + (hasUser(decoded: part) ? [password[...]] : [])
        }
    }

    private static let password = Array("password".utf8)

    /// Whether a text has a user's name and password before a host, as in a URL within a URL.
    static func hasUser(_ text: Substring.UTF8View) -> Bool {
        hasUser(decoded: PercentEncoding.decoded(Array(text)[...], plusIsSpace: true)[...])
    }

    private static func hasUser(decoded text: ArraySlice<UInt8>) -> Bool {
        guard let sign = text.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let slash = UInt8(ascii: "/")
        let start = text[..<sign].lastIndex(of: slash).map { $0 + 1 } ?? text.startIndex
        let isAuthority = text[..<start].suffix(2) == [slash, slash]
        return start < sign && (isAuthority || text[start..<sign].contains(UInt8(ascii: ":")))
    }
}

/// Hides the secret of a request in its response.
extension FetchResponse {
    /// Shorter secrets stay visible: they are parts of ordinary words.
    private static let minSecretBytes = 4
    /// Shorter secrets are hidden as whole words only.
    private static let minPartBytes = 8

    /// Overwrites a secret that the body or the header fields repeat by asterisks, so that lengths stay.
    ///
    /// O(length of the body). `nil` changes nothing.
    package mutating func hide(_ secret: String?) {
        guard let secret, secret.utf8.count >= Self.minSecretBytes else { return }
        for spelled in [secret, PercentEncoding.component(secret)] {
            let isWord = spelled.utf8.count < Self.minPartBytes
            body.hide(Array(spelled.utf8), onlyWords: isWord)
            headers.hide(spelled, onlyWords: isWord)
            for index in redirects.indices { redirects[index].headers.hide(spelled, onlyWords: isWord) }
        }
    }
}

extension HeaderFields {
    fileprivate mutating func hide(_ secret: String, onlyWords: Bool) {
        guard fields.contains(where: { $0.value.containsBytes(of: secret) }) else { return }
        self = HeaderFields(
            fields.map { field in
                var value = Array(field.value.utf8)
                value.hide(Array(secret.utf8), onlyWords: onlyWords)
                return Field(name: field.name, value: String(decoding: value, as: UTF8.self))
            })
    }
}

extension [UInt8] {
    fileprivate mutating func hide(_ secret: [UInt8], onlyWords: Bool) {
        var start = 0
        while let offset = self[start...].firstIndex(of: secret) {
            start = offset + secret.count
            let neighbours = [offset - 1, start].filter(indices.contains)
            guard !onlyWords || !neighbours.contains(where: { PercentEncoding.isAlphanumeric(self[$0]) }) else {
                continue
            }
            for index in offset..<start { self[index] = UInt8(ascii: "*") }
        }
    }
}
