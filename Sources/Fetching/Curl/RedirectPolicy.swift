/// Which redirects are followed: to `http` or `https`, not from https to http, and not in circles.
struct RedirectPolicy: Sendable {
    static let defaultLimit = 5
    /// RFC 9110 section 15.4.
    static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    var limit = RedirectPolicy.defaultLimit

    /// The next address, or `nil` for a final response; `hops` are the earlier redirects; throws `disallowed`.
    func next(
        after address: WebAddress, status: Int, headers: HTTPHeaders, hops: [FetchResponse.Redirect]
    ) throws(FetchError) -> WebAddress? {
        guard Self.statuses.contains(status), let location = headers["Location"] else { return nil }
        guard hops.count < limit else {
            throw FetchError(.disallowed, "\(address.shown): more than \(limit) redirects", exceededLimit: .redirects)
        }
        let target: WebAddress
        do {
            target = try address.resolving(location)
        } catch {
            throw FetchError(.disallowed, "\(address.shown): redirect blocked: \(error.description)")
        }
        guard target != address, !hops.contains(where: { $0.address == target }) else {
            throw FetchError(.disallowed, "\(address.shown): redirect loop to \(target.shown)")
        }
        guard address.scheme == "http" || target.scheme == "https" else {
            throw FetchError(.disallowed, "\(address.shown): redirect from https to \(target.shown)")
        }
        return target
    }
}
