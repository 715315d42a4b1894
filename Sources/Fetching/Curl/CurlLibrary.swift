internal import SpyglassCCurl

/// libcurl, opened at run time so that only those who fetch pay for it.
///
/// `@unchecked Sendable`: the table of functions is written before `sg_curl_open` returns and only read afterwards.
struct CurlLibrary: @unchecked Sendable {
    let functions: OpaquePointer

    /// The names to look for, in this order: OpenSSL's build, then GnuTLS's.
    static let defaultNames = ["libcurl.so.4", "libcurl-gnutls.so.4"]

    /// The machine's libcurl, opened once a process and kept.
    static let usual: Result<CurlLibrary, FetchError> = open(defaultNames)

    /// Opens the first library of these names that is there and new enough (`dlopen`).
    static func open(_ names: [String]) -> Result<CurlLibrary, FetchError> {
        var reasons: [String] = []
        for name in names {
            var message = [CChar](repeating: 0, count: 256)
            if let functions = sg_curl_open(name, &message, message.count) {
                return .success(CurlLibrary(functions: functions))
            }
            reasons.append(String(nulTerminated: message))
        }
        return .failure(
            FetchError(
                .unavailable,
                "libcurl 7.68 or later is needed to fetch from the network; install the package libcurl4 "
                    + "(\(reasons.joined(separator: "; ")))"))
    }

    /// Its name and version, and those of the libraries it uses (`curl_version`).
    var version: String { String(cString: sg_curl_version(functions)) }
}
