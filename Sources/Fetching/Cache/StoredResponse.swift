internal import SpyglassCaching
internal import SpyglassJSON

struct StoredResponse: Sendable {
    /// Without secrets and unstored header fields.
    var response: FetchResponse
    var requestedAt: WallTime
    var receivedAt: WallTime
    var varying: VaryFields
    /// The length of the whole body, for a partial response.
    var total: Int?
    var isPartial = false
    /// Whether the store returned it; such a response may only narrow what is fetched.
    private(set) var isRead = false

    init(_ response: FetchResponse, to request: FetchRequest, requestedAt: WallTime, receivedAt: WallTime) {
        var kept = response
        kept.address = response.address.withoutSecrets
        kept.headers = HeaderFields(RecordedHeaders.kept(of: response.headers, at: response.address))
        kept.redirects = response.redirects.map { hop in
            FetchResponse.Redirect(
                address: hop.address.withoutSecrets, status: hop.status,
                headers: HeaderFields(RecordedHeaders.kept(of: hop.headers, at: hop.address)))
        }
        self.response = kept
        self.requestedAt = requestedAt
        self.receivedAt = receivedAt
        varying = VaryFields(of: request, namedIn: response.headers)
    }

    var policy: CachePolicy {
        CachePolicy(
            status: response.status, headers: response.headers, redirects: response.redirects, requestedAt: requestedAt,
            receivedAt: receivedAt)
    }

    var isStorable: Bool { policy.isStorable && response.addresses.allSatisfy { $0.storable != nil } }

    /// Whether the request may get it at any age; one from a private network is for the user's own requests only.
    func fits(_ request: FetchRequest) -> Bool {
        guard varying.fit(request) else { return false }
        if request.trust == .any { return true }
        let addresses = [request.address] + response.addresses
        return !response.isFromPrivateNetwork && !addresses.contains(where: \.isInPrivateNetwork)
    }

    /// Whether the response comes from a private network; a stored entry proves that by its address only.
    func isPrivate(for request: FetchRequest) -> Bool {
        response.isFromPrivateNetwork && (!isRead || request.address.isInPrivateNetwork)
    }

    var partialBody: PartialBody? { isPartial ? PartialBody(response, total: total) : nil }
}

extension StoredResponse {
    private static let version = 1
    /// Far above the limit of `HeaderParser`.
    private static let metadataLimit = 1 << 20
    private static let redirectLimit = 100

    /// The stored form; member names are part of the format.
    var entry: CacheEntry {
        var members = [
            ("version", JSONText.number(Self.version)), ("url", JSONText.string(response.address.text)),
            ("status", JSONText.number(response.status)), ("headers", response.headers.fields.json),
            ("asked", JSONText.number(Int(requestedAt.milliseconds))),
            ("came", JSONText.number(Int(receivedAt.milliseconds))),
            ("private", response.isFromPrivateNetwork ? "true" : "false"),
        ]
        if !response.redirects.isEmpty {
            let hops = response.redirects.map {
                ArchiveEntry(url: $0.address.text, status: $0.status, headers: $0.headers.fields).line
            }
            members.append(("redirects", JSONText.array(hops)))
        }
        if !varying.values.isEmpty {
            let fields = varying.values.sorted { $0.key < $1.key }
            members.append(("varying", JSONText.object(fields.map { ($0.key, JSONText.string($0.value)) })))
        }
        if let total { members.append(("total", JSONText.number(total))) }
        return CacheEntry(metadata: Array(JSONText.object(members).utf8), body: response.body, isPartial: isPartial)
    }

    /// `nil` for anything that `entry` does not write.
    init?(_ entry: CacheEntry) {
        guard entry.metadata.count <= Self.metadataLimit, let value = try? JSONValue(parsing: entry.metadata),
            Self.number(value["version"]) == Self.version, let hop = Self.hop(value), hop.status == 200,
            let asked = Self.number(value["asked"]), let came = Self.number(value["came"]),
            case .bool(let isPrivate)? = value["private"]
        else { return nil }
        let redirects = value["redirects"]?.elements ?? []
        guard redirects.count <= Self.redirectLimit else { return nil }
        var hops: [FetchResponse.Redirect] = []
        for value in redirects {
            guard let hop = Self.hop(value), RedirectPolicy.statuses.contains(hop.status) else { return nil }
            hops.append(hop)
        }
        guard let varying = Self.varying(value["varying"]) else { return nil }
        self.varying = varying
        response = FetchResponse(
            address: hop.address, status: hop.status, headers: hop.headers, body: entry.body, redirects: hops,
            isFromPrivateNetwork: isPrivate, origin: .cache)
        requestedAt = WallTime(milliseconds: Int64(asked))
        receivedAt = WallTime(milliseconds: Int64(came))
        total = Self.number(value["total"])
        isPartial = entry.isPartial
        isRead = true
    }

    private static func number(_ value: JSONValue?) -> Int? {
        guard case .number(let digits)? = value else { return nil }
        return Int(digits)
    }

    private static func hop(_ value: JSONValue) -> FetchResponse.Redirect? {
        guard case .object? = value["headers"], number(value["status"]) != nil, let entry = try? ArchiveEntry(value),
            let address = WebAddress(entry.url), entry.headers.allSatisfy({ HeaderFields.Field.isName($0.name.utf8) })
        else { return nil }
        return FetchResponse.Redirect(address: address, status: entry.status, headers: entry.safeHeaders)
    }

    private static func varying(_ value: JSONValue?) -> VaryFields? {
        guard let value else { return VaryFields(values: [:]) }
        guard case .object(let members) = value else { return nil }
        var values: [String: String?] = [:]
        for member in members {
            switch member.value {
            case .string(let text): values[member.name] = .some(text)
            case .null: values.updateValue(nil, forKey: member.name)
            default: return nil
            }
        }
        return VaryFields(values: values)
    }
}
