/// Why one item failed, or why the batch cannot continue.
package struct BatchError: Error, Hashable, Sendable {
    /// The raw values are the report's `error.kind`.
    package enum Kind: String, Hashable, Sendable {
        // MARK: One item
        case unreadable
        case empty
        case notAnImage = "not_an_image"
        case unsupported
        /// Not decodable, or truncated.
        case corrupt
        case limit
        /// The workers that decoded it died, twice.
        case crashed
        case fetch
        /// The server or the archive does not have it.
        case notFound = "not_found"
        /// Another item or an unrelated file has the output's name.
        case collision
        case unwritable
        /// An invalid manifest line or operand.
        case input
        case cancelled
        case `internal`

        // MARK: The batch
        /// The command line must change.
        case usage
        /// The output folder, the manifest or the search cannot be used; a retry may succeed.
        case unavailable

        /// A few words, at most 26 characters.
        var words: String {
            switch self {
            case .unreadable: "not readable"
            case .empty: "empty file"
            case .notAnImage: "not an image"
            case .unsupported: "format not supported"
            case .corrupt: "damaged"
            case .limit: "above a limit"
            case .crashed: "decoder crashed"
            case .fetch: "not downloaded"
            case .notFound: "not found"
            case .collision: "name already used"
            case .unwritable, .unavailable: "not writable"
            case .input, .usage: "invalid input"
            case .cancelled: "stopped"
            case .internal: "internal error"
            }
        }
    }

    package var kind: Kind
    /// The failure and its reason: one line without control characters.
    package var reason: String
    /// A hint for users of `resize`, such as `use --force`; other callers leave it out.
    package var remedy: String?

    /// The reason with its remedy.
    package var message: String { reason + (remedy.map { "; \($0)" } ?? "") }

    package init(_ kind: Kind, _ reason: String, remedy: String? = nil) {
        self.kind = kind
        self.reason = reason
        self.remedy = remedy
    }
}
