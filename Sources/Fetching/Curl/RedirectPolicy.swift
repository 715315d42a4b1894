/// Where a redirect may lead: `http` or `https`, never from https down to http, and not for ever.
struct RedirectPolicy: Sendable {
    /// Redirects of one fetch (the design's limit).
    static let defaultLimit = 5
    /// The statuses that lead on when a `Location` comes with them (RFC 9110 section 15.4).
    static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    var limit = RedirectPolicy.defaultLimit

    /// The address to ask next, or `nil` when the answer is the last one; `hops` are the redirects that led to `address`.
    ///
    /// - Throws: `FetchError` of kind `refused` when the answer leads where nothing is fetched from.
    func next(
        after address: WebAddress, status: Int, headers: HTTPHeaders, hops: [FetchResponse.Redirect]
    ) throws(FetchError) -> WebAddress? {
        guard Self.statuses.contains(status), let location = headers["Location"] else { return nil }
        guard hops.count < limit else {
            throw FetchError(
                .disallowed, "\(address.shown) redirects once more after \(limit) redirects", exceededLimit: .redirects)
        }
        let target: WebAddress
        do {
            target = try address.resolving(location)
        } catch {
            throw FetchError(.disallowed, "\(address.shown) redirects to what is not fetched: \(error.description)")
        }
        guard target != address, !hops.contains(where: { $0.address == target }) else {
            throw FetchError(.disallowed, "\(address.shown) redirects in a circle, to \(target.shown)")
        }
        guard address.scheme == "http" || target.scheme == "https" else {
            throw FetchError(.disallowed, "\(address.shown) redirects from https down to \(target.shown)")
        }
        return target
    }
}
