package import SpyglassFetching

/// A source's names, its filters, and the demands of its service.
///
/// Options, settings, help, completions and `doctor` are derived from it.
package struct SourceDeclaration: Hashable, Sendable {
    /// The name in options and in `Photo.source`: `openverse`.
    package let name: String
    /// The name of the service: `Openverse`.
    package let title: String
    /// A few words about its photos, for help.
    package let summary: String
    /// The words to type, for help: `WORDS`, `BLOG, or tag:WORD`.
    package var operands = "WORDS"
    /// A search that finds photos.
    package var example: String
    package var filters: [PhotoFilter] = []
    /// The base of the service's API; `nil` if the source uses no network.
    package var endpoint: WebAddress?
    /// Requests that the service allows in a minute; `nil`: no documented limit.
    package var requestsPerMinute: Int?
    /// The key that the service asks for, if any.
    package var key: SourceKey?
    /// Who owns the photos and what a user of one must do, in one line.
    package var license: String?
    /// Why the service does not answer any more, and what to use instead; `nil` if it does.
    package var retirement: String?

    package var usesNetwork: Bool { endpoint != nil }
}

extension SourceDeclaration {
    /// A source without a service.
    package init(
        name: String, title: String, summary: String, operands: String, example: String, filters: [PhotoFilter]
    ) {
        self.init(
            name: name, title: title, summary: summary, operands: operands, example: example, filters: filters,
            endpoint: nil)
    }
}

/// The key of a service: where the user puts it, and where a request has it.
package struct SourceKey: Hashable, Sendable {
    /// The parameter of the query or the header field of a request that has the key.
    package enum Place: Hashable, Sendable {
        case parameter(String)
        case header(String)
    }

    /// The environment variable: `SPYGLASS_TUMBLR_KEY`.
    package let variable: String
    package let place: Place
    /// Where users get one, in a few words.
    package let help: String
    /// The public key that is sent without a key of the user: `DEMO_KEY`.
    package var publicKey: String?
    /// The limits of the public key, for the error beyond them.
    package var publicKeyLimits: String?
    /// Whether every request needs the user's own key.
    package var isRequired = false
}
