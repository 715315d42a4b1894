enum CacheKey {
    /// The address without secrets, so that signed addresses of one image share an entry; `nil` if it must not be stored.
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
    /// Whether the address has a session or access token, or a secret that `withoutSecrets` keeps: do not store its response.
    public var identifiesUser: Bool { rawQueryItems.contains { Secrets.identifiesUser($0.name) } || hidesMoreThanKeys }
}

extension Secrets {
    private static let userFields: Set<String> = ["auth", "cookie", "session", "sid", "pwd", "pass", "jwt", "bearer"]
    private static let userFieldParts = [
        "accesstoken", "authtoken", "oauthtoken", "refreshtoken", "sessiontoken", "csrftoken", "password", "cookie",
        "authoriz", "authentic",
    ]

    /// Whether a secret of this name identifies the user, and does not only grant access.
    static func identifiesUser(_ name: some Collection<UInt8>) -> Bool {
        let plain = plain(name)
        return userFields.contains(plain) || userFieldParts.contains { plain.containsBytes(of: $0) }
    }
}
