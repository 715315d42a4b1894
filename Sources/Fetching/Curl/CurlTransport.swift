/// Fetches over the network through libcurl.
///
///     let transport = CurlTransport()
///     let response = try await transport.fetch(FetchRequest(address))
///     await transport.shutDown()
///
/// One thread owns libcurl: it starts with the first fetch and ends with the transport. libcurl itself is opened then; where
/// it is missing, every fetch throws `FetchError` of kind `unavailable`. Waiting fetches start by priority, then in the order
/// they came, at most so many at once in all and to one host; a priority that changes meanwhile is followed
/// (`FetchControl`). A host that answers 429 or 503 or slows down is given fewer (`HostConcurrencyLimit`). Connections are kept and
/// used again, HTTP/2 is used where the server offers it. Proxies and certificate authorities are those that the
/// environment names, as for the curl tool.
///
/// What is never done: another scheme than http and https; a step from https down to http; more than five redirects; more
/// than 64 KiB of header fields; more body than the request allows, counted after decoding. A transfer that stands still for
/// 20 seconds ends as `timedOut`: a connection made, a whole head and every KiB of body are progress, a drip is not. An
/// answer that ends early is `unreachable`, in libcurl's own words.
///
/// A fetch that `hasFallback` is given a quarter of the 20 seconds. Where a host has just been silent for so long, or has refused
/// twice in a row or asked for a pause, such fetches fail at once, unless they are to revalidate; a silent host is tried again
/// after 30 seconds.
///
/// Memory in flight is bounded by the transfers at once times the body limit of their requests: what waits in line has no
/// body, and nothing queues behind a slow `FetchControl.onBody`, since the loop calls it and waits.
///
/// A body that is handed on is asked for like any other and counts against the request's limit, but takes no memory.
///
/// A cancelled fetch ends with the loop's next turn. Where `FetchRequest.finishesWhenNearlyDone` is set, an answer over
/// HTTP/1.1 of which less than 32 KiB are left is brought to its end instead, for two seconds at most.
///
/// The rule for private networks (loopback, RFC 1918 and the like): an address of the user's own goes anywhere, and may
/// redirect into private networks only if it stands in one itself. An address that a public service named
/// (`AddressTrust.publicService`) never leads there, by its spelling, by a redirect or by what its name resolves to: every
/// connection is judged before it is made and again before it is used. Behind a proxy it is the proxy that resolves names,
/// and only spellings are judged.
public final class CurlTransport: Transport {
    private let engine: CurlEngine

    /// A transport that is ready, without a thread or a connection yet.
    ///
    /// - Parameters:
    ///   - connections: Transfers at once, in all and to one host; by default 16 in all and 6 to one host, 12 over HTTP/2; at least
    ///     one, and at most 65,535.
    ///   - redirectLimit: Redirects of one fetch.
    ///   - stallTimeout: How long a transfer may stand still; at most a day.
    ///   - userAgent: What servers are told.
    ///   - clock: The clock that `stallTimeout` is measured on.
    ///   - onEvent: Told of `requestSent`, `received`, `cancelled` and `concurrencyChanged`, on the transport's own thread, which
    ///     it must not keep.
    public convenience init(
        connections: Int? = nil, redirectLimit: Int = 5, stallTimeout: Duration = .seconds(20),
        userAgent: String = SpyglassVersion.userAgent, clock: any Clock<Duration> = ContinuousClock(),
        onEvent: FetchEvent.Observer? = nil
    ) {
        var settings = CurlSettings(time: ElapsedClock(clock))
        if let connections {
            let count = min(max(1, connections), CurlSettings.maxConnections)
            settings.connections = count
            settings.connectionsPerHost = count
            settings.streamsPerHost = count
        }
        settings.redirects.limit = redirectLimit
        settings.stallTimeout = min(stallTimeout, .seconds(86_400))
        settings.userAgent = userAgent
        settings.onEvent = onEvent
        self.init(settings)
    }

    init(_ settings: CurlSettings) { engine = CurlEngine(settings) }

    deinit { engine.post(.shutDown) }

    /// Fetches one address; see `Transport`.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        let ticket = FetchTicket()
        let engine = engine
        request.control?.onPriorityChange { [weak engine] in engine?.post(.move(ticket, $0)) }
        request.control?.onResume { [weak engine] in engine?.post(.unpause(ticket)) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                engine.post(.start(CurlCommand.Start(request: request, ticket: ticket, continuation: continuation)))
            }
        } onCancel: {
            ticket.cancel()
            engine.post(.cancel(ticket))
        }
    }

    /// Ends every fetch that is under way and the transport's thread; returns when that has happened.
    ///
    /// Later fetches fail.
    public func shutDown() async { await engine.shutDown() }

    /// The libcurl that would be used, with its version and those of its own libraries (`curl_version`).
    ///
    /// Opens it, which takes some milliseconds and blocks.
    ///
    /// - Throws: `FetchError` of kind `unavailable` when there is none.
    public static func libraryVersion() throws(FetchError) -> String { try CurlLibrary.usual.get().version }
}
