public import SpyglassCaching
public import SpyglassThreads

/// Stores responses on disk and reuses them, as HTTP allows a private cache to (RFC 9111).
///
///     let cache = DiskCache(folder: folder)
///     let transport = CachingTransport(RetryingTransport(CurlTransport()), cache: cache)
///     let response = try await transport.fetch(FetchRequest(address))   // see .origin and .freshness
///     await transport.flush()
///
/// It stores responses with status 200 and without `no-store`, together with their redirects, under the address without secrets.
/// Addresses and requests that identify the user (session tokens, `Authorization`) pass through. Fresh responses are served without
/// revalidation. Stale ones are revalidated (`If-None-Match`, `If-Modified-Since`), as is every one for a request that
/// `revalidates`. If the server is unreachable or returns 500, 502, 503 or 504, the stored response is served as `stale`, unless
/// `no-cache` or `must-revalidate` forbids it. `Vary` is obeyed. Responses from private networks are not served to requests that
/// must not go there.
///
/// A streamed body is served in one piece if it is stored and fresh; otherwise it passes through, as do responses without a body.
///
/// A resumable part of an interrupted body is stored; the next fetch requests only the rest. Partial responses are returned only as
/// `FetchError.partialResponse`.
///
/// The store is called on threads of its own, after the response was returned; `flush` waits for that. About 4 MiB may be pending.
/// Above that, fetches wait up to two seconds before they use the network, and responses that do not fit are not stored. A
/// cancelled fetch with little of its body missing is finished first. Unreadable entries of the store are misses.
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

    /// A cache over `base`.
    ///
    /// - Parameters:
    ///   - base: fetches what is not stored; unused in `offline` mode.
    ///   - store: where responses are stored; first used by the first fetch.
    ///   - mode: what the cache may do.
    ///   - memory: the budget for stored bodies of more than 1 MiB, while they are in flight; `nil` for none.
    ///   - clock: measures how long fetches wait for the store.
    ///   - now: the calendar, for the age of responses.
    ///   - threads: where the store is called; with two, reads do not wait for writes.
    ///   - onEvent: notified of cache hits and stored responses.
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
        _ base: any Transport, cache: DiskCache, mode: Mode = .normal, memory: WorkMemory? = nil,
        onEvent: FetchEvent.Observer? = nil
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
        guard let key = CacheKey.key(for: request) else {
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
            let ticket = WorkTicket(priority: request.priority.rawValue)
            request.control?.forward { ticket.priority = $0.rawValue }
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
