internal import Glibc
internal import SpyglassCaching

/// What one `CurlTransport` is set to.
struct CurlSettings: Sendable {
    /// Transfers at once, in all and to one host.
    var connections = 16
    var connectionsPerHost = 6
    /// Transfers at once to one host over HTTP/2, where they share a connection.
    var streamsPerHost = 12
    /// Transfers at once at most, whoever asks for more: no machine has more ports (RFC 9293 section 3.1).
    static let maxConnections = 65_535
    var userAgent = SpyglassVersion.userAgent
    /// How long a transfer may stand still.
    var stallTimeout = Duration.seconds(20)
    /// How long a transfer of this request may stand still: a quarter where there is something older to show.
    func stallTimeout(of request: FetchRequest) -> Duration { request.hasFallback ? stallTimeout / 4 : stallTimeout }
    var redirects = RedirectPolicy()
    var proxies = ProxyEnvironment()
    /// Where certificate authorities are, if the environment says so: a file and a folder.
    var authorities = CertificateEnvironment()
    var time: ElapsedClock
    /// The calendar, for what a server says in dates.
    var calendar: @Sendable () -> WallTime = WallTime.now
    /// Where libcurl is; asked on the transport's own thread, with the first fetch.
    var library: @Sendable () -> Result<CurlLibrary, FetchError> = { CurlLibrary.usual }
    /// Told of what happens, on the transport's own thread.
    var onEvent: FetchEvent.Observer?
    /// Told how much body is there at every sign of life of a transfer, on the transport's own thread; for tests.
    var onProgress: (@Sendable (_ bodySize: Int) -> Void)?
    /// Names that are known without asking (`CURLOPT_RESOLVE`: `host:port:address`); for tests.
    var knownHosts: [String] = []

    /// What libcurl itself waits for at most, in seconds: only a backstop, since `stallTimeout` is judged here.
    var backstopSeconds: Int { Int(min(max(stallTimeout.components.seconds, 15) * 4, 86_400)) }
}

/// The certificate authorities that the environment names, by the variables that the curl tool reads; libcurl itself reads
/// none.
struct CertificateEnvironment: Sendable {
    let file: String?
    let folder: String?

    /// Reads `variable`, by default the process's environment.
    init(_ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        func first(_ names: String...) -> String? { names.lazy.compactMap(variable).first { !$0.isEmpty } }
        file = first("CURL_CA_BUNDLE", "SSL_CERT_FILE")
        folder = first("SSL_CERT_DIR")
    }
}
