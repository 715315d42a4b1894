public import SpyglassCaching
public import SpyglassThreads

/// Stores responses on disk and reuses them, as HTTP allows a private cache to (RFC 9111).
///
///     let cache = DiskCache(folder: folder)
///     let transport = CachingTransport(RetryingTransport(CurlTransport()), cache: cache)
///     let response = try await transport.fetch(FetchRequest(address))   // see .origin and .freshness
///     await transport.flush()
///
/// It stores responses with status 200 and without `no-store`, together with their redirects, by
/// address: a response to one token or signature answers no request with another. Addresses and
/// requests that identify the user (session tokens, `Authorization`) pass through. Fresh responses
/// are served without revalidation. Stale ones are revalidated (`If-None-Match`,
/// `If-Modified-Since`), as is every one for a request that `revalidates`. If the server is
/// unreachable or returns 500, 502, 503 or 504, the stored response is served as `stale`, unless
/// `no-cache` or `must-revalidate` forbids it. `Vary` is obeyed. Responses from private networks are
/// not served to requests that must not go there.
///
/// A streamed body is served in one piece if it is stored and fresh; otherwise it passes through, as do responses without a body.
///
/// A resumable part of an interrupted body is stored; the next fetch requests only the rest. A partial response never looks complete:
/// it is part of the `FetchError`.
///
/// The store is called on threads of its own, after the response was returned; `flush` waits for that.
/// About 4 MiB may be pending. Above that, fetches wait up to two seconds before they use the network,
/// and responses that do not fit are not stored. Unreadable entries of the store are misses.
public final class CachingTransport: Transport {
    /// Permissions of a cache.
    public enum Mode: Hashable, Sendable {
        /// Uses the other transport if nothing fresh is stored.
        case normal
        /// Never uses the other transport: serves all that is stored, also old or forbidden responses, else throws `notCached`.
        case offline
        /// As `normal`, but writes, removes and renews nothing: for jobs that would fill the cache with responses used once.
        case readOnly
    }

    let base: any Transport
    let now: @Sendable () -> WallTime
    let onEvent: FetchEvent.Observer?
    let writer: CacheWriter
    private let store: any ByteStore
    private let memory: WorkMemory?
    private let mode: Mode
    private let threads: ThreadPool

    /// A cache over `base` with a calendar, a clock that measures how long fetches wait for the store, and the threads where the
    /// store is called; with two, reads do not wait for writes.
    package init(
        _ base: any Transport, store: any ByteStore, mode: Mode = .normal,
        memory: WorkMemory? = nil, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> WallTime,
        threads: ThreadPool = ThreadPool(count: 2), onEvent: FetchEvent.Observer? = nil
    ) {
        self.base = base
        self.store = store
        self.mode = mode
        self.memory = memory
        self.now = now
        self.threads = threads
        self.onEvent = onEvent
        writer = CacheWriter(store, threads, time: ElapsedClock(clock)) { stored in
            onEvent?(.stored(stored.response.address, bytes: stored.response.body.count))
        }
    }

    /// Wraps another transport; the disk cache is first used by the first fetch.
    ///
    /// - Parameters:
    ///   - base: fetches what the cache does not serve.
    ///   - cache: where responses are stored.
    ///   - mode: what the cache may do.
    ///   - memory: the budget for stored bodies of more than 1 MiB, while they are in flight; `nil` for none.
    ///   - onEvent: notified of cache hits and stored responses.
    public convenience init(
        _ base: any Transport, cache: DiskCache, mode: Mode = .normal,
        memory: WorkMemory? = nil, onEvent: FetchEvent.Observer? = nil
    ) {
        self.init(base, store: cache, mode: mode, memory: memory, now: WallTime.now, onEvent: onEvent)
    }

    /// Fetches one address; see `Transport`.
    ///
    /// - Throws: the errors of the other transport; `FetchError` of kind `notCached`, or `tooLarge` for a stored body
    ///   above the request's limit; `CancellationError`.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await request.countingMemory(answer)
    }

    private func answer(_ request: FetchRequest) async throws -> FetchResponse {
        guard let key = request.cacheKey else {
            guard mode != .offline else { throw notCached(request, nil) }
            return try await base.fetch(request)
        }
        var stored = try await stored(for: key, request)
        let cacheControl = CacheControl(request.headers)
        if mode == .offline || cacheControl.onlyIfCached {
            guard let stored, !stored.isPartial else { throw notCached(request, stored) }
            return try serve(stored, to: request)
        }
        // The server of a name decides whether it is in a private network.
        if let stored, !stored.isPartial, !request.revalidates, !cacheControl.noCache,
            isFresh(stored, within: cacheControl.maxAge),
            stored.isPrivate(for: request) == stored.response.isFromPrivateNetwork
        {
            return try serve(stored, to: request)
        }
        // Otherwise the new body could wait for the stored one, which waits for the server.
        if stored?.response.memory.end(isComplete: false) == false || request.delivery != .buffered { stored = nil }
        // A body is missing, so nothing is stored.
        guard request.delivery == .buffered else { return try await base.fetch(request) }
        return try await fetchFromBase(request, key: key, stored: stored)
    }

    /// Returns when all pending responses are stored or dropped; call it before the process ends.
    public func flush() async { await writer.queue.flush() }

    var writes: Bool { mode == .normal }

    private func stored(for key: String, _ request: FetchRequest) async throws -> StoredResponse? {
        var response: StoredResponse?
        if let pending = writer.pendingChange(for: key) {
            response = pending.response
        } else {
            let ticket = request.control?.workTicket ?? WorkTicket(priority: request.priority.rawValue)
            do {
                let (read, body) = try await BodyMemory.read(in: memory, for: request, on: threads, ticket) {
                    [store] mayRead in
                    store.entry(for: key, mayRead: mayRead).flatMap(StoredResponse.init)
                }
                response = read
                response?.response.memory = body
            } catch is FetchError where request.delivery != .buffered && mode != .offline {
                // Without room for it, it can still be streamed.
            }
        }
        guard let response, response.fits(request) else { return nil }
        return response
    }

    private func isFresh(_ stored: StoredResponse, within maxAge: Int64?) -> Bool {
        let now = now()
        guard stored.policy.isFresh(at: now) else { return false }
        return maxAge.map { stored.receivedAt.duration(to: now) <= .seconds($0) } ?? true
    }

    func serve(_ stored: StoredResponse, to request: FetchRequest) throws(FetchError) -> FetchResponse {
        let freshness: FetchResponse.Freshness = stored.policy.isFresh(at: now()) ? .fresh : .stale
        let response = try self.response(stored, to: request, freshness)
        onEvent?(.cacheHit(request.address, freshness))
        return response
    }

    func response(
        _ stored: StoredResponse, to request: FetchRequest, _ freshness: FetchResponse.Freshness
    ) throws(FetchError) -> FetchResponse {
        var response = stored.response
        guard response.body.count <= request.bodyLimit else {
            throw FetchError.bodyTooLarge(request.address, limit: request.bodyLimit)
        }
        response.memory.end(isComplete: true)
        response.origin = .cache
        response.freshness = freshness
        response.lifetime = stored.policy.lifetime
        // Offline nothing is fetched, wherever an address leads.
        if mode != .offline { response.isFromPrivateNetwork = stored.isPrivate(for: request) }
        return request.delivery == .headersOnly ? response.withoutBody(length: response.body.count) : response
    }

    private func notCached(_ request: FetchRequest, _ partial: StoredResponse?) -> FetchError {
        guard let partial, partial.response.body.count <= request.bodyLimit else {
            return FetchError(.notCached, "\(request.address.shown): not in the cache")
        }
        partial.response.memory.end(isComplete: true)
        let count = partial.response.body.count
        var error = FetchError(.notCached, "\(request.address.shown): only the first \(count) bytes are in the cache")
        error.partialResponse = partial.response
        return error
    }
}

extension CachingTransport {
    /// Revalidates a stored response, requests the rest of a partial one, or fetches all.
    func fetchFromBase(_ request: FetchRequest, key: String, stored: StoredResponse?) async throws -> FetchResponse {
        if writes { try await writer.waitForCapacity() }
        var baseRequest = request
        let relay = PartialBodyRelay.wrap(&baseRequest)
        let complete = stored.flatMap { $0.isPartial ? nil : $0 }
        baseRequest.hasFallback = request.hasFallback || complete.map(isUsableFallback) ?? false
        var validators = complete?.validators ?? []
        var progress = PartialProgress(partialBody: stored?.partialBody)
        while true {
            relay?.expect(progress.partialBody)
            let requestedAt = now()
            do {
                var next = progress.partialBody?.request(resuming: baseRequest) ?? baseRequest
                for field in validators { next.headers.add(name: field.name, value: field.value) }
                let response = try await base.fetch(next)
                if response.status == 304 {
                    guard let complete, !validators.isEmpty else { throw unexpected304(request) }
                    // If it is about another response than the stored one, the next request has no condition.
                    validators = []
                    let renewed = complete.renewed(
                        by: response, to: request, requestedAt: requestedAt, receivedAt: now())
                    guard let renewed else { continue }
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

extension StoredResponse {
    /// The validators as fields of a conditional request (RFC 9110 section 13).
    fileprivate var validators: [HeaderFields.Field] {
        [("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")].compactMap { name, validator in
            response.headers[validator].flatMap { $0.isEmpty ? nil : HeaderFields.Field(name: name, value: $0) }
        }
    }

    /// Updated by a 304 (RFC 9111 section 4.3.4); `nil` if it is about another one: an entity tag counts only at its own address.
    fileprivate func renewed(
        by newest: FetchResponse, to request: FetchRequest, requestedAt: WallTime, receivedAt: WallTime
    ) -> StoredResponse? {
        var newer = newest
        newer.body = []
        var renewed = StoredResponse(newer, to: request, requestedAt: requestedAt, receivedAt: receivedAt)
        let old = response
        // In another network it is another server.
        guard renewed.response.address == old.address, newest.isFromPrivateNetwork == old.isFromPrivateNetwork else {
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
