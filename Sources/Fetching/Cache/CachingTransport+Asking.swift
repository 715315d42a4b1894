internal import SpyglassCaching

extension CachingTransport {
    /// Asks the other transport: whether what is kept still holds, for the rest of it, or for all.
    func ask(_ request: FetchRequest, key: String, kept: CachedAnswer?) async throws -> FetchResponse {
        if writes { try await writer.waitForRoom(for: request) }
        var asked = request
        asked.finishesWhenNearlyDone = writes
        let relay = PartialBodyRelay.wrap(&asked)
        let whole = kept.flatMap { $0.isPrefix ? nil : $0 }
        asked.hasFallback = request.hasFallback || whole.map(mayStandIn) ?? false
        var condition = whole.flatMap { CachingCondition($0) }
        var progress = PartialProgress(held: kept?.partialBody)
        while true {
            relay?.expect(progress.held)
            let askedAt = now()
            do {
                let next = progress.held?.request(resuming: asked) ?? condition?.request(asking: asked) ?? asked
                let response = try await base.fetch(next)
                if response.status == 304 {
                    guard let old = condition else { throw unasked304(request) }
                    // Should it be about another answer than the one that is kept, the next request has no condition.
                    condition = nil
                    guard let renewed = old.renewed(by: response, to: request, askedAt: askedAt, cameAt: now()) else {
                        continue
                    }
                    return try revalidated(renewed, to: request, key: key)
                }
                switch try progress.judge(response, to: request) {
                case .startOver: continue
                case .answer(let answer):
                    return try keep(
                        CachedAnswer(answer, to: request, askedAt: askedAt, cameAt: now()), of: answer, key: key,
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
                    keepBeginning(part, of: request, key: key, askedAt: askedAt)
                }
                throw progress.withLongestPart(error)
            }
        }
    }

    /// Whether what is kept may be given out though the server cannot be asked (RFC 9111 section 4.2.4).
    private func mayStandIn(_ answer: CachedAnswer) -> Bool {
        let terms = answer.terms
        return terms.mayBeStale || terms.isFresh(at: now())
    }

    private func revalidated(_ answer: CachedAnswer, to request: FetchRequest, key: String) throws -> FetchResponse {
        put(answer.terms.mayBeKept ? .keep(answer) : .forget, for: key)
        try Task.checkCancellation()
        onEvent?(.revalidated(request.address))
        return try response(answer, to: request, .revalidated)
    }

    /// Keeps an answer behind the caller's back, if it may be kept, and hands it out.
    private func keep(
        _ answer: CachedAnswer, of response: FetchResponse, key: String, instead kept: CachedAnswer?
    ) throws -> FetchResponse {
        var response = response
        // What a recorded archive answers is on this machine already.
        if response.origin != .archive {
            let terms = answer.terms
            response.lifetime = terms.lifetime
            if terms.mayBeKept {
                put(.keep(answer), for: key)
            } else if kept != nil, [200, 404, 410].contains(response.status) {
                put(.forget, for: key)
            }
        }
        try Task.checkCancellation()
        return response
    }

    private func keepBeginning(_ part: PartialBody, of request: FetchRequest, key: String, askedAt: WallTime) {
        guard part.part.origin != .archive, part.part.status == 200 else { return }
        var answer = CachedAnswer(part.part, to: request, askedAt: askedAt, cameAt: now())
        guard answer.terms.mayBeKept else { return }
        answer.isPrefix = true
        answer.total = part.total
        put(.keep(answer), for: key)
    }

    private func put(_ change: CachingWriter.Change, for key: String) {
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
struct CachingCondition {
    private let answer: CachedAnswer
    private let fields: [HTTPHeaders.Field]

    /// A question with every validator that the answer has; `nil` when it has none.
    init?(_ answer: CachedAnswer) {
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
        by response: FetchResponse, to request: FetchRequest, askedAt: WallTime, cameAt: WallTime
    ) -> CachedAnswer? {
        var newer = response
        newer.body = []
        var renewed = CachedAnswer(newer, to: request, askedAt: askedAt, cameAt: cameAt)
        let old = answer.response
        guard renewed.response.address == old.address else { return nil }
        if let tag = renewed.response.headers["ETag"] {
            guard let oldTag = old.headers["ETag"], Self.opaque(tag) == Self.opaque(oldTag) else { return nil }
        }
        // Both say when the older answer was made.
        renewed.response.headers = old.headers.removing(["Age", "Date"]).updated(by: renewed.response.headers)
        renewed.response.status = old.status
        renewed.response.body = old.body
        renewed.response.cameFromPrivateNetwork = old.cameFromPrivateNetwork || response.cameFromPrivateNetwork
        renewed.varying = VaryingFields(of: request, namedIn: renewed.response.headers)
        return renewed
    }

    /// An entity tag as weak comparison sees it (RFC 9110 section 8.8.3.2).
    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
