package import SpyglassFetching

/// A source's names, its filters, and the demands of its service.
///
/// Options, settings, the search field, help, completions and `doctor` are derived from it. `SourceRegistry` has all of them.
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
    /// The filters that a query may have.
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

    /// Declares a source that needs no network.
    package init(name: String, title: String, summary: String, example: String) {
        self.name = name
        self.title = title
        self.summary = summary
        self.example = example
    }

    /// Whether photos come from a service.
    package var usesNetwork: Bool { endpoint != nil }
}

/// The key of a service: where the user puts it, and where a request has it.
package struct SourceKey: Hashable, Sendable {
    /// Where a request has the key.
    package enum Place: Hashable, Sendable {
        /// A parameter of the query.
        case parameter(String)
        /// A header field.
        case header(String)
    }

    /// The environment variable: `SPYGLASS_TUMBLR_KEY`.
    package let variable: String
    /// Where a request has it.
    package let place: Place
    /// Where users get one, in a few words.
    package let help: String
    /// The public key that is sent without a key of the user: `DEMO_KEY`.
    package var publicKey: String?
    /// The limits of the public key, for the error beyond them.
    package var publicKeyLimits: String?
    /// Whether every request needs the user's own key.
    package var isRequired = false

    /// A key that is sent if there is one.
    package init(variable: String, place: Place, help: String) {
        self.variable = variable
        self.place = place
        self.help = help
    }
}
