internal import SpyglassThreads

/// The queued and running fetches of one server, and the delay that it requested; used on the loop's thread.
final class CurlHost {
    let name: String
    /// By its spelling.
    let isInPrivateNetwork: Bool
    var transfers = 0
    /// Maximum of transfers: connections, or streams once the server has used HTTP/2.
    var maxTransfers: Int
    var queue = PriorityQueue<CurlFetch>()
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

    init(of address: WebAddress, maxTransfers: Int) {
        name = address.authority
        isInPrivateNetwork = address.isInPrivateNetwork
        self.maxTransfers = maxTransfers
    }

    /// Whether there is nothing to remember.
    func isUnused(at now: Duration) -> Bool {
        transfers == 0 && queue.isEmpty && max(pausedUntil ?? now, unresponsiveUntil ?? now) <= now
    }

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
