internal import SpyglassThreads
internal import struct Synchronization.Atomic

/// One call of `fetch`, from its caller to its end.
///
/// `@unchecked Sendable`: the caller owns it until it is posted, then the loop's thread; only `cancelled` is shared.
final class CurlFetch: @unchecked Sendable {
    private let cancelled = Atomic(false)
    let request: FetchRequest
    var continuation: UnsafeContinuation<FetchResponse, any Error>?
    var address: WebAddress
    var redirects: [FetchResponse.Redirect] = []
    var rule: PrivateNetworkPolicy
    /// The order of arrival, for fetches of equal priority to several hosts.
    var number = 0
    /// The host's queue or transfers count it; `nil` before it starts and after it has ended.
    var host: CurlHost?
    var queueHandle: PriorityQueue<CurlFetch>.Handle?
    /// The deadline of a cancelled fetch that is nearly done.
    var lingersUntil: Duration?
    /// `nil` while it is queued.
    var slot: CurlEasyHandle?

    /// Set before the cancel command, so that a fetch queued behind it never starts.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
    /// Whether it fails instead of waiting for a host that does not respond: a stale response exists.
    var isImpatient: Bool { request.hasFallback && !request.revalidates }
    /// A redirected fetch precedes others of its priority: it has waited before.
    var rank: Int { 2 * request.priority.rawValue + (redirects.isEmpty ? 0 : 1) }

    init(_ request: FetchRequest, _ proxies: ProxyEnvironment) {
        self.request = request
        address = request.address
        rule = PrivateNetworkPolicy(trust: request.trust, proxies: proxies)
    }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}
