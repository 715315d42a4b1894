/// A queued or running fetch, used on the loop's thread only.
final class CurlFetch {
    let request: FetchRequest
    let ticket: FetchTicket
    let continuation: CheckedContinuation<FetchResponse, any Error>
    /// Continues its paused body; called on any thread.
    let unpause: @Sendable () -> Void
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

    init(_ start: CurlCommand.Start, rule: PrivateNetworkPolicy, unpause: @escaping @Sendable () -> Void) {
        self.unpause = unpause
        request = start.request
        ticket = start.ticket
        continuation = start.continuation
        address = start.request.address
        self.rule = rule
    }
}
