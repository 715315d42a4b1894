/// One fetch on its way: what was asked, and who waits for the answer.
///
/// Stays on the loop's thread.
final class CurlFetch {
    let request: FetchRequest
    let ticket: FetchTicket
    let continuation: CheckedContinuation<FetchResponse, any Error>
    var address: WebAddress
    var redirects: [FetchResponse.Redirect] = []
    var rule: NetworkRule
    /// Where it stands in the waiting line, kept from one redirect to the next.
    var place: WaitingLine<CurlFetch>.Place?
    /// What carries it now, or `nil` while it waits.
    var slot: CurlSlot?

    init(_ start: CurlCommand.Start, rule: NetworkRule) {
        request = start.request
        ticket = start.ticket
        continuation = start.continuation
        address = start.request.address
        self.rule = rule
    }
}
