public import SpyglassThreads

/// Fetches over the network through libcurl.
///
///     let transport = CurlTransport()
///     let response = try await transport.fetch(FetchRequest(address))
///     await transport.shutDown()
///
/// One thread owns libcurl. It opens the library with the first fetch and ends with the transport. Without
/// libcurl, fetches throw `FetchError` of kind `unavailable`. Queued fetches start by priority, then in order.
/// Transfers are limited in all and per host. A host that returns 429 or 503 gets no request until
/// `Retry-After`, at most a minute. A cancelled fetch ends with the loop's next turn. Connections are reused,
/// with HTTP/2 where available. Proxies and certificate authorities come from the environment, as for the curl
/// tool.
///
/// Not allowed: other schemes than http and https, redirects from https to http, more than five redirects, and
/// nested content codings. Limited: header fields to 64 KiB, the body to the request's limit. A transfer times
/// out after 20 s without progress: a connection, a complete head or a KiB of body. A body times out 300 s
/// after its first byte, over all tries and without pauses of our own; one that is saved (`FileDownload`) times
/// out below 1 KiB/s over 60 s. A response that ends early is `unreachable`, with libcurl's message. TLS is 1.2
/// or later.
///
/// A fetch for which something stale is stored times out after 5 s. Unless it revalidates, it fails immediately
/// if its host did not respond within the last 30 s or requested a delay.
///
/// Memory is bounded by a `WorkMemory`: a transfer pauses until there is room for its next bytes. Queued
/// fetches have no body, and the loop waits for the reader of a streamed body. Streamed bodies count against
/// their limit but take no memory.
///
/// Private networks (loopback, RFC 1918 and others): the user's own addresses may lead anywhere. A redirect into a private network
/// must come from one. Addresses named by a public service (`NetworkReach.publicAddresses`) never lead there, be it by spelling,
/// redirect or name resolution. Connections are checked when made and when reused. Behind a proxy, which resolves names, only
/// spellings are checked.
public final class CurlTransport: Transport {
    private let engine: CurlEngine

    /// A transport without a thread or connection yet.
    ///
    /// - Parameters:
    ///   - connections: the maximum of concurrent transfers in all and per host, 1 to 65,535 (16; 6, or 12 over HTTP/2).
    ///   - stallTimeout: the maximum time without progress, at most a day.
    ///   - deadline: the maximum time of a body, from a second to a day.
    ///   - userAgent: the `User-Agent` header field.
    ///   - memory: the budget for bodies of 1 MiB and more, while they are in flight; `nil` for none.
    ///   - clock: measures these times.
    ///   - onEvent: gets `requestSent`, `received`, `cancelled` and `hostPaused` on the transport's thread; must not block.
    public convenience init(
        connections: Int? = nil, stallTimeout: Duration = .seconds(20), deadline: Duration = .seconds(300),
        userAgent: String = SpyglassVersion.userAgent, memory: WorkMemory? = nil,
        clock: any Clock<Duration> = ContinuousClock(), onEvent: FetchEvent.Observer? = nil
    ) {
        var settings = CurlSettings(time: ElapsedClock(clock))
        if let connections {
            let count = min(max(1, connections), CurlSettings.maxConnections)
            settings.connections = count
            settings.connectionsPerHost = count
            settings.streamsPerHost = count
        }
        settings.stallTimeout = min(stallTimeout, .seconds(86_400))
        settings.deadline = min(deadline, .seconds(86_400))
        settings.userAgent = userAgent
        settings.onEvent = onEvent
        settings.memory = memory
        self.init(settings)
    }

    init(_ settings: CurlSettings) { engine = CurlEngine(settings) }

    deinit { engine.post(.shutDown) }

    /// Fetches one address; see `Transport`.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await request.countingMemory(transfer)
    }

    private func transfer(_ request: FetchRequest) async throws -> FetchResponse {
        // A cache would have answered (RFC 9111 section 5.2.1.7).
        guard !CacheControl(request.headers).onlyIfCached else {
            throw FetchError(.notCached, "\(request.address.shown): not in the cache")
        }
        let engine = engine
        let fetch = CurlFetch(request, engine.settings.proxies)
        // The control belongs to the request, and so to the fetch.
        request.control?.onResume { [weak engine, weak fetch] in if let fetch { engine?.post(.unpause(fetch)) } }
        defer { ThreadSanitizer.synchronize() }
        var response = try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                fetch.continuation = continuation
                engine.post(.start(fetch))
            }
        } onCancel: {
            fetch.cancel()
            engine.post(.cancel(fetch))
        }
        response.hide(request.secret)
        return response
    }

    /// Ends all fetches and the transport's thread, then returns; later fetches fail.
    public func shutDown() async { await engine.shutDown() }

    /// The versions of libcurl and its libraries (`curl_version`); opening libcurl blocks for a few milliseconds.
    ///
    /// - Throws: `FetchError` of kind `unavailable` without libcurl.
    package static func libraryVersion() throws(FetchError) -> String { try CurlLibrary.shared.get().version }
}
