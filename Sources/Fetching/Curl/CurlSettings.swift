internal import Glibc
internal import SpyglassCaching
internal import SpyglassThreads

struct CurlSettings: Sendable {
    /// Concurrent transfers in all, to one host, and to one host over HTTP/2.
    var connections = 16
    var connectionsPerHost = 6
    var streamsPerHost = 12
    /// The highest port (RFC 9293 section 3.1).
    static let maxConnections = 65_535
    var userAgent = SpyglassVersion.userAgent
    var stallTimeout = Duration.seconds(20)
    /// A quarter if a stale response exists.
    func stallTimeout(of request: FetchRequest) -> Duration { request.hasFallback ? stallTimeout / 4 : stallTimeout }
    /// The maximum time of a body, and the minimum bytes a second of one that is saved (`BodyTimeLimit`).
    var deadline = Duration.seconds(300)
    var minRate = 1 << 10
    var redirects = RedirectPolicy()
    var proxies = ProxyEnvironment()
    var authorities = CertificateEnvironment()
    var time: ElapsedClock
    var calendar: @Sendable () -> WallTime = WallTime.now
    /// The budget for bodies of 1 MiB and more; `nil` for none.
    var memory: WorkMemory?
    /// Called on the loop's thread, by the first fetch.
    var library: @Sendable () -> Result<CurlLibrary, FetchError> = { CurlLibrary.shared }
    /// Called on the loop's thread.
    var onEvent: FetchEvent.Observer?
    /// For tests: called on the loop's thread with the size of the body.
    var onProgress: (@Sendable (_ bodySize: Int) -> Void)?
    /// For tests: `CURLOPT_RESOLVE` entries (`host:port:address`).
    var knownHosts: [String] = []

    /// libcurl's own timeout of connecting in seconds, above `stallTimeout`, which the loop checks.
    var backstopSeconds: Int { Int(min(max(stallTimeout.components.seconds, 15) * 4, 86_400)) }
}

/// Certificate authorities from the variables that the curl tool reads; libcurl reads none.
struct CertificateEnvironment: Sendable {
    let file: String?
    let folder: String?

    init(_ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        func first(_ names: String...) -> String? { names.lazy.compactMap(variable).first { !$0.isEmpty } }
        file = first("CURL_CA_BUNDLE", "SSL_CERT_FILE")
        folder = first("SSL_CERT_DIR")
    }
}

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
