internal import Glibc
internal import SpyglassCCurl
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
    static let minRate = 1 << 10
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
enum RedirectPolicy {
    /// RFC 9110 section 15.4.
    static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    private static let limit = 5

    /// The next address, or `nil` for a final response; `hops` are the earlier redirects; throws `disallowed`.
    static func next(
        after address: WebAddress, status: Int, headers: HeaderFields, hops: [FetchResponse.Redirect]
    ) throws(FetchError) -> WebAddress? {
        guard statuses.contains(status), let location = headers["Location"] else { return nil }
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

/// libcurl, opened at run time, so that only programs that fetch load it; immutable once `sg_curl_open` returns, so `Sendable`.
struct CurlLibrary: @unchecked Sendable {
    let functions: OpaquePointer
    var version: String { String(cString: sg_curl_version(functions)) }

    /// The build with OpenSSL, else the one with GnuTLS.
    static let shared = Self.open(["libcurl.so.4", "libcurl-gnutls.so.4"])

    /// Opens the first of these libraries that exists and is recent enough (`dlopen`).
    static func open(_ names: [String]) -> Result<CurlLibrary, FetchError> {
        var reasons: [String] = []
        for name in names {
            var message = [CChar](repeating: 0, count: 256)
            if let functions = sg_curl_open(name, &message, message.count) {
                return .success(CurlLibrary(functions: functions))
            }
            let reason = String(nulTerminated: message)
            if !reason.hasSuffix("No such file or directory") { reasons.append(reason) }
        }
        let found = reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))"
        return .failure(
            FetchError(
                .unavailable,
                "cannot fetch from the network: no libcurl 7.68 or later; install the package libcurl4\(found)"))
    }
}

/// How long a body may take from its first byte, without pauses of our own: a deadline, or a minimum rate for one that is saved.
struct BodyTimeLimit {
    /// Limit of the whole body, or the interval of one measurement of its rate.
    private(set) var duration = Duration.zero
    /// Bytes that each `duration` must bring; `nil`: the body must end within it.
    private(set) var minBytes: Int?
    /// The first byte, or the start of the current measurement; later by every pause.
    private var start: Duration?
    private var countAtStart = 0
    private var pausedAt: Duration?

    /// Evens out bursts and short interruptions.
    static let rateInterval = Duration.seconds(60)

    init() {}

    init(_ request: FetchRequest, _ settings: CurlSettings) {
        minBytes = request.usesMinRate ? CurlSettings.minRate * Int(Self.rateInterval.components.seconds) : nil
        // Not zero, which would be checked without end before the first byte.
        duration = request.usesMinRate ? Self.rateInterval : max(settings.deadline - request.spentBodyTime, .seconds(1))
    }

    var isRunning: Bool { start != nil }

    mutating func begin(at now: Duration) { start = now }

    mutating func pause(at now: Duration) { if pausedAt == nil { pausedAt = now } }

    mutating func unpause(at now: Duration) {
        if let pausedAt, let start { self.start = start + (now - pausedAt) }
        pausedAt = nil
    }

    func elapsed(at now: Duration) -> Duration { start.map { max((pausedAt ?? now) - $0, .zero) } ?? .zero }

    /// The latest time of the next check; `nil` if the body takes too long.
    mutating func nextCheck(at now: Duration, received: Int) -> Duration? {
        guard let start, pausedAt == nil else { return now + duration }
        guard start + duration <= now else { return start + duration }
        guard let minBytes, received - countAtStart >= minBytes else { return nil }
        (self.start, countAtStart) = (now, received)
        return now + duration
    }

    func error(at address: WebAddress, _ settings: CurlSettings) -> FetchError {
        guard minBytes == nil else {
            return FetchError(
                .timedOut,
                "\(address.shown): less than \(CurlSettings.minRate) bytes a second for \(Self.rateInterval.components.seconds) s",
                exceededLimit: .rate)
        }
        return FetchError(
            .timedOut, "\(address.shown): not complete after \(settings.deadline.components.seconds) s",
            exceededLimit: .deadline)
    }
}
