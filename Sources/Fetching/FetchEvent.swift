/// What happens to a fetch on its way, for statistics and for people who watch.
///
/// Transports take one observer, and call it from any thread; it must return at once. There may be more events in a later
/// version: keep a `default`.
public enum FetchEvent: Sendable {
    /// A request goes out on the network; redirects and repetitions count again.
    case requestSent(WebAddress)
    /// An answer came over the network, whole or in part, with so many bytes of body on the wire's side of decoding or after it.
    case received(WebAddress, status: Int, bytes: Int)
    /// A fetch was cancelled after it had been sent.
    case cancelled(WebAddress)
    /// A fetch that failed is made again after `delay`; with `offset` bytes of its body already here.
    case retrying(WebAddress, attempt: Int, delay: Duration, offset: Int, reason: String)
    /// A host answers 429 or 503, or slows down: it now gets so many transfers at once.
    case concurrencyChanged(host: String, transfers: Int, pause: Duration?)
    /// The disk cache answered without the network.
    case cacheHit(WebAddress, FetchResponse.Freshness)
    /// The server said that what the disk cache holds has not changed.
    case revalidated(WebAddress)
    /// An answer was put into the disk cache.
    case stored(WebAddress, bytes: Int)

    /// What transports report to.
    public typealias Observer = @Sendable (FetchEvent) -> Void
}
