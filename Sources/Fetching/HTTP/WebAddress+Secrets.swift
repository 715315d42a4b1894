internal import SpyglassCaching

extension WebAddress: CustomStringConvertible {
    /// The address for printing and logs: values of keys, tokens, passwords, codes and the like are `***`.
    public var description: String {
        guard mayHoldSecrets else { return text }
        let shownPath = Self.hidingSecrets(in: path.utf8[...], "/")
        let shownQuery = query.map { "?\(Self.hidingSecrets(in: $0.utf8[...], "&"))" } ?? ""
        return "\(scheme)://\(authority)\(shownPath)\(shownQuery)"
    }

    private var mayHoldSecrets: Bool { query != nil || path.utf8.contains(UInt8(ascii: ";")) }

    /// The description, with a hash if it hides more than keys drop, so that it is another one for each other key.
    package var distinctDescription: String {
        hidesMoreThanKeys ? "\(description)~\(Hex.text(FNV1a.hash(withoutSecrets.text.utf8)))" : description
    }

    /// Whether `description` hides a value that `withoutSecrets` keeps.
    var hidesMoreThanKeys: Bool {
        guard mayHoldSecrets else { return false }
        let kept = withoutSecrets
        return kept.description != kept.text
    }

    /// The address for storage; `nil` if it holds a secret that `withoutSecrets` keeps.
    var storableText: String? { hidesMoreThanKeys ? nil : withoutSecrets.text }

    /// At most `lengthLimit` bytes without the fragment; secrets are `***`, as is everything between scheme and last at sign.
    package static func description(ofRefused text: String) -> String {
        var start = ""
        var rest = text.utf8[...]
        if let sign = rest.lastIndex(of: UInt8(ascii: "@")) {
            start = String(Substring(rest.prefix { $0 != UInt8(ascii: ":") })) + "://***"
            rest = rest[sign...]
        }
        rest = rest.prefix(lengthLimit).prefix { $0 != UInt8(ascii: "#") }
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        start += hidingSecrets(in: path, "/")
        guard path.endIndex < rest.endIndex else { return start }
        return "\(start)?\(hidingSecrets(in: rest[path.endIndex...].dropFirst(), "&"))"
    }

    /// Replaces the values of secrets, up to the next `separator`.
    private static func hidingSecrets(in text: Substring.UTF8View, _ separator: Unicode.Scalar) -> String {
        text.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map { item in
            // Parameters of a path follow a semicolon (RFC 3986 section 3.3).
            let start = separator == "/" ? item.firstIndex(of: UInt8(ascii: ";")) ?? item.endIndex : item.startIndex
            guard let name = Secrets.hiddenName(in: item[start...]) else { return String(Substring(item)) }
            return "\(Substring(item[..<name.endIndex]))=***"
        }.joined(separator: String(separator))
    }

    /// A message of another library, or of a service, with its addresses as `description(ofRefused:)` has them.
    package static func redacting(_ message: String) -> String {
        func redacted(_ word: Substring.UTF8View, isQuoted: Bool = false) -> String {
            let text = String(Substring(word))
            let isRelative = word.contains(UInt8(ascii: "?")) && !word.contains(UInt8(ascii: "@"))
            guard !isRelative, !text.containsBytes(of: "://") else { return description(ofRefused: text) }
            guard let sign = word.lastIndex(of: UInt8(ascii: "@")),
                isQuoted || word[..<sign].contains(UInt8(ascii: ":"))
            else { return text }
            return "***\(Substring(word[sign...]))"
        }
        func redactedWords(_ text: Substring.UTF8View) -> String {
            let words = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            return words.map { redacted($0) }.joined(separator: " ")
        }
        let text = message.utf8[...]
        // Quoted text is one word: a proxy's password may contain spaces and quotes.
        guard let first = text.firstIndex(of: UInt8(ascii: "'")), let last = text.lastIndex(of: UInt8(ascii: "'")),
            first < last
        else { return redactedWords(text) }
        let quoted = text[first..<last].dropFirst()
        let isProxy = Substring(text[..<first]).containsBytes(of: "proxy") && !quoted.contains(UInt8(ascii: "@"))
        return
            "\(redactedWords(text[..<first]))'\(isProxy ? "***" : redacted(quoted, isQuoted: true))\(redactedWords(text[last...]))"
    }

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

    /// Host, path and sorted query in one spelling: scheme, secrets, the order of the query and percent-encoding do not count.
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

/// Two lists of names: those that keys drop may not grow, or two addresses would share an entry; messages hide more.
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
    /// Hidden, too: as a word of a name (`authCode`, `user-pw`, but not `postcode`), or anywhere in it.
    private static let hiddenWords: Set<String> = ["code", "ticket", "policy", "pw", "pwd", "pass", "pin", "otp"]
    private static let hiddenParts = ["passwd", "passphrase", "passcode", "authcode", "sessionid", "sessid", "idtoken"]

    /// Whether keys and stored header fields drop the value; ignores case, hyphens and underscores.
    static func isSecret(_ name: some Collection<UInt8>) -> Bool {
        let plain = plain(name)
        return names.contains(plain) || parts.contains { plain.containsBytes(of: $0) }
    }

    static func isSecret(nameInQuery name: Substring) -> Bool {
        isSecret(PercentEncoding.decoded(Array(name.utf8)[...], plusIsSpace: true))
    }

    /// The item up to the end of the first name with a hidden value, in `name=value;name=value`.
    static func hiddenName(in item: Substring.UTF8View) -> Substring.UTF8View? {
        item.split(separator: UInt8(ascii: ";")).lazy.compactMap(hiddenName(inPart:)).first
    }

    /// A value may hold names of its own: of an address (`u=https%3A%2F%2Fa%3Ftoken%3D1`), or of a list (`exp=1~hmac=2`).
    private static func hiddenName(inPart part: Substring.UTF8View) -> Substring.UTF8View? {
        let bytes = Array(part)
        var start = 0
        var isInValue = false
        var end = 0
        while end <= bytes.count {
            let escape = end < bytes.count && bytes[end] == UInt8(ascii: "%") ? bytes[end...].prefix(3) : []
            let decoded = PercentEncoding.decoded(escape)
            let length = decoded.count == 1 ? escape.count : 1
            let byte = decoded.count == 1 ? decoded[0] : end < bytes.count ? bytes[end] : UInt8(ascii: "=")
            if byte == UInt8(ascii: "="), !isInValue || end < bytes.count {
                let name = PercentEncoding.decoded(bytes[start..<end], plusIsSpace: true)
                if isHidden(name) { return part.prefix(end) }
                isInValue = true
            }
            if "=?&~".utf8.contains(byte) { start = end + length }
            end += length
        }
        return nil
    }

    private static func isHidden(_ name: [UInt8]) -> Bool {
        let plain = plain(name)
        return isSecret(name) || hiddenParts.contains { plain.containsBytes(of: $0) }
            || words(of: name).contains { hiddenWords.contains($0) }
    }

    /// `[auth, code]` of `auth_code` and `authCode`.
    private static func words(of name: [UInt8]) -> [String] {
        var spaced: [UInt8] = []
        for byte in name {
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if isUpper, spaced.last.map({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) == true {
                spaced.append(0)
            }
            spaced.append(PercentEncoding.isAlphanumeric(byte) ? byte : 0)
        }
        return spaced.split(separator: 0).map { String(decoding: $0, as: UTF8.self).lowercased() }
    }

    static func plain(_ name: some Collection<UInt8>) -> String {
        String(decoding: name.filter { PercentEncoding.isAlphanumeric($0) }, as: UTF8.self).lowercased()
    }
}
