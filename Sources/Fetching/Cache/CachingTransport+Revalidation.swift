internal import SpyglassCaching

extension CachingTransport {
    /// Asks the other transport: whether what is kept still holds, for the rest of it, or for all.
    func ask(_ request: FetchRequest, key: String, kept: StoredResponse?) async throws -> FetchResponse {
        if writes { try await writer.waitForCapacity(for: request) }
        var asked = request
        asked.finishesWhenNearlyDone = writes
        let relay = PartialBodyRelay.wrap(&asked)
        let whole = kept.flatMap { $0.isPartial ? nil : $0 }
        asked.hasFallback = request.hasFallback || whole.map(mayStandIn) ?? false
        var condition = whole.flatMap { ConditionalRequest($0) }
        var progress = PartialProgress(held: kept?.partialBody)
        while true {
            relay?.expect(progress.held)
            let requestedAt = now()
            do {
                let next = progress.held?.request(resuming: asked) ?? condition?.request(asking: asked) ?? asked
                let response = try await base.fetch(next)
                if response.status == 304 {
                    guard let old = condition else { throw unasked304(request) }
                    // Should it be about another answer than the one that is kept, the next request has no condition.
                    condition = nil
                    guard
                        let renewed = old.renewed(
                            by: response, to: request, requestedAt: requestedAt, receivedAt: now())
                    else {
                        continue
                    }
                    return try revalidated(renewed, to: request, key: key)
                }
                switch try progress.judge(response, to: request) {
                case .startOver: continue
                case .answer(let answer):
                    return try keep(
                        StoredResponse(answer, to: request, requestedAt: requestedAt, receivedAt: now()), of: answer,
                        key: key,
                        instead: kept)
                case .passing:
                    try Task.checkCancellation()
                    // RFC 9111 section 4.3.3 speaks of 5xx; whoever is told 429 cannot ask either.
                    guard let whole, mayStandIn(whole) else { return response }
                    return try give(whole, to: request)
                }
            } catch let error as FetchError where error.kind == .unreachable || error.kind == .timedOut {
                let before = progress.held?.end
                progress.take(error, of: request)
                if let whole, mayStandIn(whole) { return try give(whole, to: request) }
                if whole == nil, let part = progress.held, part.end != before {
                    keepBeginning(part, of: request, key: key, requestedAt: requestedAt)
                }
                throw progress.withLongestPart(error)
            }
        }
    }

    /// Whether what is kept may be given out though the server cannot be asked (RFC 9111 section 4.2.4).
    private func mayStandIn(_ answer: StoredResponse) -> Bool {
        let terms = answer.terms
        return terms.allowsStale || terms.isFresh(at: now())
    }

    private func revalidated(_ answer: StoredResponse, to request: FetchRequest, key: String) throws -> FetchResponse {
        put(answer.terms.isStorable ? .keep(answer) : .forget, for: key)
        try Task.checkCancellation()
        onEvent?(.revalidated(request.address))
        return try response(answer, to: request, .revalidated)
    }

    /// Keeps an answer behind the caller's back, if it may be kept, and hands it out.
    private func keep(
        _ answer: StoredResponse, of response: FetchResponse, key: String, instead kept: StoredResponse?
    ) throws -> FetchResponse {
        var response = response
        // What a recorded archive answers is on this machine already.
        if response.origin != .archive {
            let terms = answer.terms
            response.lifetime = terms.lifetime
            if terms.isStorable {
                put(.keep(answer), for: key)
            } else if kept != nil, [200, 404, 410].contains(response.status) {
                put(.forget, for: key)
            }
        }
        try Task.checkCancellation()
        return response
    }

    private func keepBeginning(_ part: PartialBody, of request: FetchRequest, key: String, requestedAt: WallTime) {
        guard part.part.origin != .archive, part.part.status == 200 else { return }
        var answer = StoredResponse(part.part, to: request, requestedAt: requestedAt, receivedAt: now())
        guard answer.terms.isStorable else { return }
        answer.isPartial = true
        answer.total = part.total
        put(.keep(answer), for: key)
    }

    private func put(_ change: CacheWriter.Change, for key: String) {
        guard writes else { return }
        writer.put(change, for: key)
    }

    private func unasked304(_ request: FetchRequest) -> FetchError {
        FetchError(
            .unreachable,
            "\(request.address.shown): the server says that nothing has changed (304), though nothing is kept of it")
    }
}

/// The question whether a kept answer still holds.
struct ConditionalRequest {
    private let answer: StoredResponse
    private let fields: [HTTPHeaders.Field]

    /// A question with every validator that the answer has; `nil` when it has none.
    init?(_ answer: StoredResponse) {
        let headers = answer.response.headers
        let pairs = [("If-None-Match", headers["ETag"]), ("If-Modified-Since", headers["Last-Modified"])]
        fields = pairs.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : HTTPHeaders.Field(name: name, value: $0) }
        }
        guard !fields.isEmpty else { return nil }
        self.answer = answer
    }

    /// The request with the question.
    func request(asking request: FetchRequest) -> FetchRequest {
        var request = request
        for field in fields { request.headers.append(field.name, field.value) }
        return request
    }

    /// The kept answer with what a 304 says of it (RFC 9111 section 4.3.4); `nil` when that is about another one: an
    /// entity tag means something at its own address alone.
    func renewed(
        by response: FetchResponse, to request: FetchRequest, requestedAt: WallTime, receivedAt: WallTime
    ) -> StoredResponse? {
        var newer = response
        newer.body = []
        var renewed = StoredResponse(newer, to: request, requestedAt: requestedAt, receivedAt: receivedAt)
        let old = answer.response
        guard renewed.response.address == old.address else { return nil }
        if let tag = renewed.response.headers["ETag"] {
            guard let oldTag = old.headers["ETag"], Self.opaque(tag) == Self.opaque(oldTag) else { return nil }
        }
        // Both say when the older answer was made.
        renewed.response.headers = old.headers.removing(["Age", "Date"]).updated(by: renewed.response.headers)
        renewed.response.status = old.status
        renewed.response.body = old.body
        renewed.response.isFromPrivateNetwork = old.isFromPrivateNetwork || response.isFromPrivateNetwork
        renewed.varying = VaryFields(of: request, namedIn: renewed.response.headers)
        return renewed
    }

    /// An entity tag as weak comparison sees it (RFC 9110 section 8.8.3.2).
    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
