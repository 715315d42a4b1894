internal import SpyglassFetching

/// Why a source returned no photos, by who must act.
///
/// Every message is one line without a full stop: what failed, where and why. `kind` and `subject` let a program add
/// what to do about it.
///
///     do { page = try await source.page(of: query, at: nil) }
///     catch let error as CatalogError { exit(error.kind == .invalidQuery ? 2 : 3) }
public struct CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Who must act.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// The user: the source cannot answer this search. Retrying does not help.
        case invalidQuery
        /// The caller: the source does not know this photo.
        case notFound
        /// The service or the network: the request was refused or failed. Retrying may help.
        case unavailable
        /// The service: its response is not usable.
        case invalidResponse
    }

    /// The part to check first.
    package enum Subject: Hashable, Sendable {
        /// The words of the query.
        case text
        /// The filter with this name.
        case filter(String)
        /// The page to start at.
        case page
        /// The address of the source.
        case endpoint
    }

    /// Who must act.
    public let kind: Kind
    /// The part to check first; `nil` if that is not known.
    package let subject: Subject?
    /// One line for people; it may quote the server, shortened and without control characters.
    public let description: String

    /// An error with its message; control characters become spaces.
    public init(_ kind: Kind, _ description: String) { self.init(kind, description, at: nil) }

    package init(_ kind: Kind, _ description: String, at subject: Subject?) {
        self.kind = kind
        self.subject = subject
        self.description = PlainText.oneLine(description, limit: 1000)
    }

    static let maxReasonBytes = 300

    /// A service's own message on one line, shortened and without secrets; `nil` if it is empty.
    static func reason(_ text: String) -> String? {
        PlainText.oneLine(text, limit: maxReasonBytes).nonEmpty.map(WebAddress.redacting)
    }

    static func tooLarge(from host: String, limit: Int) -> CatalogError {
        .invalid(from: host, "more than \(limit >> 20) MiB")
    }

    static func invalid(from host: String, _ why: String, at subject: Subject? = nil) -> CatalogError {
        CatalogError(.invalidResponse, "\(host): invalid response: \(why)", at: subject)
    }

    package static func foreignCursor(of source: String) -> CatalogError {
        CatalogError(.invalidQuery, "\(source): this cursor belongs to another source; start the search again")
    }
}
