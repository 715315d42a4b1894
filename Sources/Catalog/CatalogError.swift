/// Why a source's answer cannot be used, by who must act.
///
/// Every message is one line: what failed, where, what to do.
///
///     do { page = try await source.page(of: query, at: nil) }
///     catch let error as CatalogError { exit(error.blamesOption ? 2 : 3) }
public struct CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Who must act.
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

    /// Who must act.
    public let kind: Kind
    /// One line for people.
    ///
    /// It may quote the server, cut to a bounded length, without control characters.
    public let description: String

    /// An error with its message; line breaks and other control characters in it become spaces.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = PlainText.oneLine(description, limit: 1000)
    }

    /// Whether something that the user typed is at fault, so that trying again later does not help.
    public var blamesOption: Bool { kind == .option }
}
