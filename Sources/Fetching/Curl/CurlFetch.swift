/// A queued or running fetch, used on the loop's thread only.
final class CurlFetch {
    private let start: CurlCommand.Start
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

    /// Whether it fails instead of waiting for a silent host: a stale response exists.
    var isImpatient: Bool { request.hasFallback && !request.revalidates }

    var request: FetchRequest { start.request }
    var ticket: FetchTicket { start.ticket }
    var continuation: UnsafeContinuation<FetchResponse, any Error> { start.continuation }

    init(_ start: CurlCommand.Start, rule: PrivateNetworkPolicy) {
        self.start = start
        address = start.request.address
        self.rule = rule
    }
}
