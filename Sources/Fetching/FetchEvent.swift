/// Events of fetches, for statistics and diagnostics.
///
/// Transports call one observer from any thread; it must not block.
@nonexhaustive
public enum FetchEvent: Sendable {
    /// A request was sent; redirects and retries count again.
    case requestSent(WebAddress)
    /// A response arrived over the network, complete or partial, with this many bytes of body.
    case received(WebAddress, status: Int, bytes: Int)
    /// A fetch was cancelled after it had been sent.
    case cancelled(WebAddress)
    /// A failed fetch is retried after `delay`, of which the server requested a part, with `offset` bytes of its body already here.
    case retrying(WebAddress, attempt: Int, delay: Duration, requested: Duration?, offset: Int, reason: String)
    /// A host refused a request (429, 503) and gets no other for some time.
    case hostPaused(String, Duration)
    /// The disk cache served a response without the network.
    case cacheHit(WebAddress, FetchResponse.Freshness)
    /// The server confirmed a stored response (304).
    case revalidated(WebAddress)
    /// A response was stored in the disk cache.
    case stored(WebAddress, bytes: Int)

    /// Observes a transport.
    public typealias Observer = @Sendable (FetchEvent) -> Void
}
