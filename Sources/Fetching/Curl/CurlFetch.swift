/// One call of `fetch`, from its caller to its end.
///
/// `@unchecked Sendable`: but for its ticket, its maker uses it until it is posted, and then the loop's thread only.
final class CurlFetch: FetchTicket, @unchecked Sendable {
    let request: FetchRequest
    var continuation: UnsafeContinuation<FetchResponse, any Error>?
    /// Until it is delivered.
    var result: Result<FetchResponse, any Error>?
    var address: WebAddress
    var redirects: [FetchResponse.Redirect] = []
    var rule: PrivateNetworkPolicy
    /// Its position in the queue, kept across redirects.
    var queueHandle: FetchQueue<CurlFetch, CurlHost>.Handle?
    var host: CurlHost?
    /// The deadline of a cancelled fetch that is nearly done.
    var lingersUntil: Duration?
    /// `nil` while it is queued.
    var slot: CurlEasyHandle?
    fileprivate var position: Int?

    /// Whether it fails instead of waiting for a silent host: a stale response exists.
    var isImpatient: Bool { request.hasFallback && !request.revalidates }

    init(_ request: FetchRequest, _ proxies: ProxyEnvironment) {
        self.request = request
        address = request.address
        rule = PrivateNetworkPolicy(trust: request.trust, proxies: proxies)
    }
}

/// The fetches that have not ended, in no order.
struct CurlFetches {
    private(set) var all: [CurlFetch] = []

    func contains(_ fetch: CurlFetch) -> Bool { fetch.position != nil }

    mutating func insert(_ fetch: CurlFetch) {
        fetch.position = all.count
        all.append(fetch)
    }

    mutating func remove(_ fetch: CurlFetch) {
        guard let position = fetch.position.take(), let last = all.popLast(), last !== fetch else { return }
        all[position] = last
        last.position = position
    }
}
