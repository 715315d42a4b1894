/// One fetch on its way: what was asked, and who waits for the answer.
///
/// Stays on the loop's thread.
final class CurlFetch {
    let request: FetchRequest
    let ticket: FetchTicket
    let continuation: CheckedContinuation<FetchResponse, any Error>
    var address: WebAddress
    var redirects: [FetchResponse.Redirect] = []
    var rule: PrivateNetworkPolicy
    /// Its position in the queue, kept across redirects.
    var queueHandle: FetchQueue<CurlFetch, CurlHost>.Handle?
    /// The host that it waits for or is carried from.
    var host: CurlHost?
    /// Until when it may come to its end though its task was cancelled.
    var lingersUntil: Duration?
    /// What carries it now, or `nil` while it waits.
    var slot: CurlEasyHandle?

    /// Whether it is better to fail than to wait for a host that does not answer: there is something older to show, and
    /// nobody asked for what is new.
    var isImpatient: Bool { request.hasFallback && !request.revalidates }

    init(_ start: CurlCommand.Start, rule: PrivateNetworkPolicy) {
        request = start.request
        ticket = start.ticket
        continuation = start.continuation
        address = start.request.address
        self.rule = rule
    }
}
