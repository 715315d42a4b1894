internal import SpyglassCatalog
internal import SpyglassFetching

// The libraries say what failed; what to do about it is said in this program's own words and options.

extension FetchError {
    /// The error with what to do about it, in one line.
    var message: String { remedy.map { "\(description) (\($0))" } ?? description }

    private var remedy: String? {
        switch exceededLimit {
        case .body: return "raise the limit with --max-bytes"
        case .redirects: return "raise the limit with --max-redirects"
        case .stall: return "wait longer with --timeout"
        default: break
        }
        switch kind {
        case .unreachable: return "check the address and the network, or try again later"
        case .notCached: return "fetch it without --offline"
        default: return nil
        }
    }
}

extension CatalogError {
    /// The error with what to do about it, in one line.
    var message: String {
        switch subject {
        case .text: "\(description); check the search words"
        case .filter(let name): "\(description); check --\(name)"
        case .page: "\(description); check --page"
        case .endpoint: "\(description); is --endpoint the base of NASA's API?"
        default: description
        }
    }
}
