internal import SpyglassCaching

extension CachingTransport {
    /// Revalidates a stored response, requests the rest of a partial one, or fetches all.
    func fetchFromBase(_ request: FetchRequest, key: String, stored: StoredResponse?) async throws -> FetchResponse {
        if writes { try await writer.waitForCapacity(request.priority) }
        var baseRequest = request
        baseRequest.finishesWhenNearlyDone = writes
        let relay = PartialBodyRelay.wrap(&baseRequest)
        let complete = stored.flatMap { $0.isPartial ? nil : $0 }
        baseRequest.hasFallback = request.hasFallback || complete.map(isUsableFallback) ?? false
        var condition = complete.flatMap { ConditionalRequest($0) }
        var progress = PartialProgress(partialBody: stored?.partialBody)
        while true {
            relay?.expect(progress.partialBody)
            let requestedAt = now()
            do {
                let next =
                    progress.partialBody?.request(resuming: baseRequest) ?? condition?.request(asking: baseRequest)
                    ?? baseRequest
                let response = try await base.fetch(next)
                if response.status == 304 {
                    guard let old = condition else { throw unexpected304(request) }
                    // If it is about another response than the stored one, the next request has no condition.
                    condition = nil
                    guard
                        let renewed = old.renewed(
                            by: response, to: request, requestedAt: requestedAt, receivedAt: now())
                    else { continue }
                    return try revalidated(renewed, to: request, key: key)
                }
                switch try progress.check(response, to: request) {
                case .startOver: continue
                case .response(let response):
                    let new = StoredResponse(response, to: request, requestedAt: requestedAt, receivedAt: now())
                    return try store(new, of: response, key: key, replaces: stored != nil)
                case .failed:
                    try Task.checkCancellation()
                    // RFC 9111 section 4.3.3 names 5xx; after 429 the server cannot be asked either.
                    guard let complete, isUsableFallback(complete) else { return response }
                    return try serve(complete, to: request)
                }
            } catch let error as FetchError where error.kind == .unreachable || error.kind == .timedOut {
                let before = progress.partialBody?.end
                progress.record(error, of: request)
                if let complete, isUsableFallback(complete) { return try serve(complete, to: request) }
                if complete == nil, let part = progress.partialBody, part.end != before {
                    storePart(part, of: request, key: key, requestedAt: requestedAt)
                }
                throw progress.withLongestPart(error)
            }
        }
    }

    /// Whether a response may be served if the server cannot be asked (RFC 9111 section 4.2.4).
    private func isUsableFallback(_ stored: StoredResponse) -> Bool {
        stored.policy.allowsStale || stored.policy.isFresh(at: now())
    }

    private func revalidated(_ stored: StoredResponse, to request: FetchRequest, key: String) throws -> FetchResponse {
        put(stored.isStorable ? stored : nil, for: key)
        try Task.checkCancellation()
        onEvent?(.revalidated(request.address))
        return try response(stored, to: request, .revalidated)
    }

    private func store(
        _ new: StoredResponse, of response: FetchResponse, key: String, replaces: Bool
    ) throws -> FetchResponse {
        var response = response
        // An archive is on this machine already.
        if response.origin != .archive {
            if new.isStorable {
                response.lifetime = new.policy.lifetime
                put(new, for: key)
            } else if replaces, [200, 404, 410].contains(response.status) {
                put(nil, for: key)
            }
        }
        try Task.checkCancellation()
        return response
    }

    private func storePart(_ part: PartialBody, of request: FetchRequest, key: String, requestedAt: WallTime) {
        // A part is as it came: it may repeat a key.
        guard request.secret == nil, part.part.origin != .archive, part.part.status == 200 else { return }
        var stored = StoredResponse(part.part, to: request, requestedAt: requestedAt, receivedAt: now())
        guard stored.isStorable else { return }
        stored.isPartial = true
        stored.total = part.total
        put(stored, for: key)
    }

    private func put(_ response: StoredResponse?, for key: String) { if writes { writer.put(response, for: key) } }

    private func unexpected304(_ request: FetchRequest) -> FetchError {
        FetchError(.unreachable, "\(request.address.shown): status 304 for a request without a condition")
    }
}

/// A conditional request for a stored response (RFC 9110 section 13).
struct ConditionalRequest {
    private let stored: StoredResponse
    private let fields: [HTTPHeaders.Field]

    /// Takes every validator of the response; `nil` if it has none.
    init?(_ stored: StoredResponse) {
        let headers = stored.response.headers
        let pairs = [("If-None-Match", headers["ETag"]), ("If-Modified-Since", headers["Last-Modified"])]
        fields = pairs.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : HTTPHeaders.Field(name: name, value: $0) }
        }
        guard !fields.isEmpty else { return nil }
        self.stored = stored
    }

    func request(asking request: FetchRequest) -> FetchRequest {
        var request = request
        for field in fields { request.headers.append(field.name, field.value) }
        return request
    }

    /// Updated by a 304 (RFC 9111 section 4.3.4); `nil` if it is about another one: an entity tag counts only at its own address.
    func renewed(
        by response: FetchResponse, to request: FetchRequest, requestedAt: WallTime, receivedAt: WallTime
    ) -> StoredResponse? {
        var newer = response
        newer.body = []
        var renewed = StoredResponse(newer, to: request, requestedAt: requestedAt, receivedAt: receivedAt)
        let old = stored.response
        // In another network it is another server.
        guard renewed.response.address == old.address, response.isFromPrivateNetwork == old.isFromPrivateNetwork else {
            return nil
        }
        if let tag = renewed.response.headers["ETag"] {
            guard let oldTag = old.headers["ETag"], Self.opaque(tag) == Self.opaque(oldTag) else { return nil }
        }
        // Both fields give the age of the older response.
        renewed.response.headers = old.headers.removing(["Age", "Date"]).updated(by: renewed.response.headers)
        renewed.response.status = old.status
        renewed.response.body = old.body
        renewed.response.memory = old.memory
        renewed.varying = VaryFields(of: request, namedIn: renewed.response.headers)
        return renewed
    }

    /// The part of an entity tag that weak comparison uses (RFC 9110 section 8.8.3.2).
    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
