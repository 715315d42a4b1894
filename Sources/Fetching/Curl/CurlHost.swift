internal import SpyglassThreads
internal import struct Synchronization.Atomic

/// The running fetches of one server, and the delay that it requested; used on the loop's thread.
final class CurlHost {
    let name: String
    var transfers = 0
    /// Maximum of transfers: connections, or streams once the server has used HTTP/2.
    var maxTransfers: Int
    /// No transfer starts before this time.
    private(set) var pausedUntil: Duration?
    private var unresponsiveUntil: Duration?
    private var lastAnswer: Duration?

    /// The delay after a 429 or 503 without `Retry-After`; fetches wait this long even if a stale response exists.
    static let shortPause = Duration.milliseconds(250)
    /// Limits a mistaken `Retry-After`.
    static let maxPause = Duration.seconds(60)
    /// A list of images tries an unresponsive host twice a minute.
    private static let unresponsiveTime = Duration.seconds(30)
    /// Faster failures delay no other fetch.
    private static let slowFailure = Duration.seconds(1)

    init(name: String, maxTransfers: Int) {
        self.name = name
        self.maxTransfers = maxTransfers
    }

    func hasNothingToRemember(at now: Duration) -> Bool { max(pausedUntil ?? now, unresponsiveUntil ?? now) <= now }

    func mayStart(at now: Duration) -> Bool { transfers < maxTransfers && pausedUntil ?? now <= now }

    func answered(at now: Duration) {
        lastAnswer = now
        unresponsiveUntil = nil
    }

    /// Pauses until `end`, unless a longer pause was requested before; returns whether this changed anything.
    func pause(until end: Duration) -> Bool {
        guard end > pausedUntil ?? .zero else { return false }
        pausedUntil = end
        return true
    }

    /// Records a failure without a response; returns whether it was slow and no other transfer got a response since.
    func failed(since start: Duration, at now: Duration) -> Bool {
        guard now - start >= Self.slowFailure, lastAnswer.map({ $0 < start }) ?? true else { return false }
        unresponsiveUntil = now + Self.unresponsiveTime
        return true
    }

    /// Why an impatient fetch fails now; `nil` if it may wait.
    func reasonToFail(at now: Duration) -> String? {
        if let unresponsiveUntil, unresponsiveUntil > now { return "server did not respond recently" }
        guard let pausedUntil, pausedUntil > now + Self.shortPause else { return nil }
        return "server requested a delay"
    }
}

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
    /// `nil` before it is queued and after it has ended.
    var host: CurlHost?
    /// `nil` while it is queued.
    var slot: CurlEasyHandle?

    /// Set before the cancel command, so that a fetch queued behind it never starts.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
    /// Whether the fetch fails instead of waiting for a host that does not respond: a stale response exists.
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
