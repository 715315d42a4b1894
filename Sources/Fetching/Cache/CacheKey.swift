/// Under which key the answer to a request is kept.
enum CacheKey {
    /// The address without secrets, in its one spelling, scheme and order of the query included; `nil` when nothing is
    /// to be kept.
    ///
    /// Keys and signatures in an address are a permission, which changes from day to day for one and the same picture:
    /// addresses that differ in nothing else share an entry, which only the user reads whose permission it was. Session
    /// and access tokens say who asks, and the answer may be another for each: neither is it kept, nor what was asked
    /// for with secret header fields. Requests that are conditional or for a range are somebody else's business.
    static func key(for request: FetchRequest) -> String? {
        guard !CacheControl(request.headers).noStore,
            !request.headers.fields.contains(where: { isConditional($0) || Secrets.isSecret($0.name.utf8) }),
            !request.address.identifiesUser
        else { return nil }
        return request.address.withoutSecrets.text
    }

    private static func isConditional(_ field: HTTPHeaders.Field) -> Bool {
        field.isNamed("Range") || field.name.lowercased().hasPrefix("if-")
    }
}

extension WebAddress {
    /// Whether a session or access token is in the address, so that what it answers may be another thing for everybody.
    ///
    /// Nothing of such an address is to be kept under `withoutSecrets`, which would be the name of another answer.
    public var identifiesUser: Bool { rawQueryItems.contains { Secrets.identifiesUser($0.name) } }
}

extension Secrets {
    private static let ofSomebody: Set<String> = ["auth", "cookie", "session", "sid", "pwd", "pass", "jwt", "bearer"]
    private static let partsOfSomebody = [
        "accesstoken", "authtoken", "oauthtoken", "refreshtoken", "sessiontoken", "csrftoken", "password", "cookie",
        "authoriz", "authentic",
    ]

    /// Whether a secret of this name says who asks, and not only that it is allowed.
    static func identifiesUser(_ name: some Collection<UInt8>) -> Bool {
        let letters = name.filter { PercentEncoding.isAlphanumeric($0) }
        let plain = String(decoding: letters, as: UTF8.self).lowercased()
        return ofSomebody.contains(plain) || partsOfSomebody.contains { plain.holds($0) }
    }
}
