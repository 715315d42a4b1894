public import SpyglassCaching
public import SpyglassThreads

/// Keeps answers on disk and uses them again, as HTTP allows a private cache to (RFC 9111).
///
///     let cache = DiskCache(folder: folder)
///     let transport = CachingTransport(RetryingTransport(CurlTransport()), store: cache)
///     let response = try await transport.fetch(FetchRequest(address))   // .origin and .freshness say where it comes from
///     await transport.flush()
///
/// Kept are answers of 200 that do not say `no-store`, with the redirects that led to them, under the address without
/// secrets; addresses and requests that say who asks (session tokens, `Authorization`) pass through. A kept answer that
/// is fresh is given out without asking. An older one is asked about (`If-None-Match`, `If-Modified-Since`), and so is
/// every one that a request `revalidates`. Where the server cannot be asked, or answers 500, 502, 503 or 504, the old
/// one is given out as `stale`, unless it forbids that (`no-cache`, `must-revalidate`). `Vary` is obeyed; what a
/// private network answered to the user is not given to a request that must not lead there.
///
/// A body that is to be handed on is given out in one piece where it is kept and fresh; one that comes from the other transport is
/// not kept, and neither is an answer whose body is omitted.
///
/// Where a transfer breaks off, what has come is kept as a beginning, if it can be gone on with, and the next fetch
/// asks for the rest alone. A beginning is only ever given out as `FetchError.part`.
///
/// The store is read and written on threads of its own, written behind the answers: `flush` waits for that. Some
/// 4 MiB wait for it at most, and one body; where so much waits, a fetch that would go to the network is held back until
/// the store has caught up, for two seconds at most, and an answer that finds no room is not kept. A request that is
/// cancelled when little of its body is left is finished for the cache first. What the store holds is not trusted: what
/// cannot be read is a miss.
public final class CachingTransport: Transport {
    /// Whom a cache may ask.
    public enum Mode: Hashable, Sendable {
        /// The other transport, where there is nothing fresh.
        case normal
        /// Nobody: whatever is there is used, however old it is and whatever it forbids.
        ///
        /// Everything else is a `FetchError` of kind `notCached`.
        case offline
        /// The other transport, where there is nothing fresh; nothing is written, removed or made younger.
        ///
        /// For work that passes over more than a cache should hold.
        case reading
    }

    let base: any Transport
    let now: @Sendable () -> WallTime
    let onEvent: FetchEvent.Observer?
    let writer: CacheWriter
    private let store: any ByteStore
    private let mode: Mode
    private let threads: ThreadPool

    /// A cache before `base`.
    ///
    /// - Parameters:
    ///   - base: asked where nothing fresh is kept; never in `offline` mode.
    ///   - store: where answers are kept; touched with the first fetch.
    ///   - mode: whether `base` may be asked.
    ///   - clock: what the two seconds are measured on.
    ///   - now: the calendar, by which answers grow old.
    ///   - threads: where the store is called; with two, reading does not wait for writing.
    ///   - onEvent: told of answers from the cache and of what is stored.
    public init(
        _ base: any Transport, store: any ByteStore, mode: Mode = .normal,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> WallTime = WallTime.now,
        threads: ThreadPool = ThreadPool(count: 2), onEvent: FetchEvent.Observer? = nil
    ) {
        self.base = base
        self.store = store
        self.mode = mode
        self.now = now
        self.threads = threads
        self.onEvent = onEvent
        writer = CacheWriter(store, threads, time: ElapsedClock(clock)) { answer in
            onEvent?(.stored(answer.response.address, bytes: answer.response.body.count))
        }
    }

    /// Fetches one address; see `Transport`.
    ///
    /// - Throws: what the other transport throws; `FetchError` of kind `notCached`, of kind `tooLarge` for a kept body
    ///   above the request's limit; `CancellationError`.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        guard let key = CacheKey.key(for: request) else {
            guard mode != .offline else { throw notCached(request, nil) }
            return try await base.fetch(request)
        }
        let kept = try await kept(for: key, request)
        let wanted = CacheControl(request.headers)
        if mode == .offline || wanted.onlyIfCached {
            guard let kept, !kept.isPartial else { throw notCached(request, kept) }
            return try give(kept, to: request)
        }
        if let kept, !kept.isPartial, !request.revalidates, !wanted.noCache, isFresh(kept, within: wanted.maxAge) {
            return try give(kept, to: request)
        }
        // There is no body to keep.
        guard request.delivery == .buffered else { return try await base.fetch(request) }
        return try await ask(request, key: key, kept: kept)
    }

    /// Returns once everything that was to be kept has reached the store, or was given up: call it before the process ends.
    public func flush() async { await writer.finish() }

    /// Whether answers are kept.
    var writes: Bool { mode == .normal }

    /// What is kept for a request, if an answer to it may be made of that.
    private func kept(for key: String, _ request: FetchRequest) async throws -> StoredResponse? {
        let answer: StoredResponse? =
            switch writer.staged(for: key) {
            case .keep(let answer): answer
            case .forget: nil
            case nil:
                try await stored(for: key, request)
            }
        guard let answer, answer.fits(request) else { return nil }
        return answer
    }

    /// What the store has, read as urgently as the request is, also when that changes while a slow disk is waited for.
    private func stored(for key: String, _ request: FetchRequest) async throws -> StoredResponse? {
        let ticket = WorkTicket(priority: request.priority.rawValue)
        request.control?.forward { ticket.priority = $0.rawValue }
        return try await threads.run(ticket) { [store] _ in store.entry(for: key).flatMap(StoredResponse.init) }
    }

    private func isFresh(_ answer: StoredResponse, within maxAge: Int64?) -> Bool {
        let now = now()
        guard answer.terms.isFresh(at: now) else { return false }
        return maxAge.map { answer.receivedAt.duration(to: now) <= .seconds($0) } ?? true
    }

    /// Gives out what is kept, as fresh as it is.
    func give(_ answer: StoredResponse, to request: FetchRequest) throws(FetchError) -> FetchResponse {
        let freshness: FetchResponse.Freshness = answer.terms.isFresh(at: now()) ? .fresh : .stale
        let response = try self.response(answer, to: request, freshness)
        onEvent?(.cacheHit(request.address, freshness))
        return response
    }

    /// What is kept, as an answer.
    func response(
        _ answer: StoredResponse, to request: FetchRequest, _ freshness: FetchResponse.Freshness
    ) throws(FetchError) -> FetchResponse {
        var response = answer.response
        guard response.body.count <= request.bodyLimit else {
            throw FetchError(
                .tooLarge,
                "\(request.address.shown): the answer is larger than the limit of \(request.bodyLimit) bytes",
                exceeded: .body)
        }
        response.origin = .cache
        response.freshness = freshness
        response.lifetime = answer.terms.lifetime
        return request.delivery == .headersOnly ? response.withoutBody(length: response.body.count) : response
    }

    private func notCached(_ request: FetchRequest, _ prefix: StoredResponse?) -> FetchError {
        guard let prefix, prefix.response.body.count <= request.bodyLimit else {
            return FetchError(.notCached, "\(request.address.shown) is not in the cache")
        }
        var error = FetchError(
            .notCached,
            "of \(request.address.shown) only the first \(prefix.response.body.count) bytes are in the cache")
        error.part = prefix.response
        return error
    }
}
