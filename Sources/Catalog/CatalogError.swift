/// Why a source's answer cannot be used, by who must act.
///
/// Every message is one line without a full stop: what failed, where, and why. How to mend it is for the program to say,
/// which knows what its options are called; `kind` and `parameter` tell it.
///
///     do { page = try await source.page(of: query, at: nil) }
///     catch let error as CatalogError { exit(error.blamesOption ? 2 : 3) }
public struct CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Who must act.
    ///
    /// There may be more in a later version: keep a `default`.
    public enum Kind: Hashable, Sendable {
        /// The user: a search, a filter or a page that the source cannot answer.
        case option
        /// Nobody: the source does not know this item.
        case notFound
        /// The service or the network on the way: it answered, but with a refusal. Later it may help.
        case refused
        /// The service: it answered with something that is not an answer.
        case unusable
    }

    /// What of a search is at fault, by the name of its part of `PhotoQuery` or of the source.
    ///
    /// There may be more in a later version: keep a `default`.
    public enum Parameter: Hashable, Sendable, CaseIterable {
        /// The part of the query that has the same name.
        case text, mediaTypes, center, photographer, location, keywords, title, id, album, years
        /// The page to start at.
        case page
        /// Where the source is.
        case endpoint
    }

    /// Who must act.
    public let kind: Kind
    /// What of the search, or of the source, to look at first; `nil` when that is not known.
    public let parameter: Parameter?
    /// One line for people.
    ///
    /// It may quote the server, cut to a bounded length, without control characters.
    public let description: String

    /// An error with its message; line breaks and other control characters in it become spaces.
    public init(_ kind: Kind, _ description: String, parameter: Parameter? = nil) {
        self.kind = kind
        self.parameter = parameter
        self.description = PlainText.oneLine(description, limit: 1000)
    }

    /// Whether something that the user typed is at fault, so that trying again later does not help.
    public var blamesOption: Bool { kind == .option }
}
