/// Why a source returned no photos, by who must act.
///
/// Every message is one line without a full stop: what failed, where and why. `kind` and `subject` let a program add
/// what to do about it.
///
///     do { page = try await source.page(of: query, at: nil) }
///     catch let error as CatalogError { exit(error.kind == .invalidQuery ? 2 : 3) }
public struct CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Who must act.
    ///
    /// Later versions may add cases: keep a `default`.
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

    /// What to look at first.
    ///
    /// Later versions may add cases: keep a `default`.
    public enum Subject: Hashable, Sendable {
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
    /// What to look at first; `nil` if that is not known.
    public let subject: Subject?
    /// One line for people; it may quote the server, shortened and without control characters.
    public let description: String

    /// An error with its message; control characters become spaces.
    public init(_ kind: Kind, _ description: String, at subject: Subject? = nil) {
        self.kind = kind
        self.subject = subject
        self.description = PlainText.oneLine(description, limit: 1000)
    }
}
