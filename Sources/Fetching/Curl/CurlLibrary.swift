internal import SpyglassCCurl

/// libcurl, opened at run time, so that only programs that fetch load it; immutable once `sg_curl_open` returns, so `Sendable`.
struct CurlLibrary: @unchecked Sendable {
    let functions: OpaquePointer
    /// Content codings that it decodes (`CURLOPT_ACCEPT_ENCODING`), by the libraries that its version names.
    let contentCodings: String

    private init(_ functions: OpaquePointer) {
        self.functions = functions
        let version = Self.version(of: functions)
        let codings = [("zlib/", "deflate, gzip"), ("brotli/", "br"), ("zstd/", "zstd")]
        contentCodings = codings.filter { version.containsBytes(of: $0.0) }.map(\.1).joined(separator: ", ")
    }

    /// In this order: the build with OpenSSL, then the one with GnuTLS.
    static let defaultNames = ["libcurl.so.4", "libcurl-gnutls.so.4"]

    static let shared: Result<CurlLibrary, FetchError> = Self.open(defaultNames)

    /// Opens the first of these libraries that exists and is recent enough (`dlopen`).
    static func open(_ names: [String]) -> Result<CurlLibrary, FetchError> {
        var reasons: [String] = []
        for name in names {
            var message = [CChar](repeating: 0, count: 256)
            if let functions = sg_curl_open(name, &message, message.count) {
                return .success(CurlLibrary(functions))
            }
            reasons.append(String(nulTerminated: message))
        }
        return .failure(
            FetchError(
                .unavailable,
                "cannot fetch from the network: no libcurl 7.68 or later; install the package libcurl4 "
                    + "(\(reasons.joined(separator: "; ")))"))
    }

    var version: String { Self.version(of: functions) }

    private static func version(of functions: OpaquePointer) -> String { String(cString: sg_curl_version(functions)) }
}
