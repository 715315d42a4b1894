public import SpyglassFetching

/// What a source is called, what it can be asked, and what its service demands.
///
/// Options, settings, the search field, help, completions and `doctor` are derived from it. `SourceRegistry` has all of them.
public struct SourceDeclaration: Hashable, Sendable {
    /// The name in options and in `Photo.source`: `openverse`.
    public let name: String
    /// The name of the service: `Openverse`.
    public let title: String
    /// A few words about its photos, for help.
    public let summary: String
    /// What to type, for help: `WORDS`, `BLOG, or tag:WORD`.
    public var operands = "WORDS"
    /// A search that finds photos.
    public var example: String
    /// The filters that a query may have.
    public var filters: [PhotoFilter] = []
    /// The base of the service's API; `nil` if the source uses no network.
    public var endpoint: WebAddress?
    /// Requests that the service allows in a minute; `nil`: no documented limit.
    public var requestsPerMinute: Int?
    /// The key that the service asks for, if any.
    public var key: SourceKey?
    /// Who owns the photos and what a user of one must do, in one line.
    public var license: String?
    /// Why the service does not answer any more, and what to use instead; `nil` if it does.
    public var retirement: String?

    /// Declares a source that needs no network.
    public init(name: String, title: String, summary: String, example: String) {
        self.name = name
        self.title = title
        self.summary = summary
        self.example = example
    }

    /// Whether photos come from a service.
    public var usesNetwork: Bool { endpoint != nil }
}

/// The key of a service: where the user puts it, and where a request has it.
public struct SourceKey: Hashable, Sendable {
    /// Where a request has the key.
    public enum Place: Hashable, Sendable {
        /// A parameter of the query.
        case parameter(String)
        /// A header field.
        case header(String)
    }

    /// The environment variable: `SPYGLASS_TUMBLR_KEY`.
    public let variable: String
    /// Where a request has it.
    public let place: Place
    /// Where users get one, in a few words.
    public let help: String
    /// The public key that is sent without a key of the user: `DEMO_KEY`.
    public var publicKey: String?
    /// The limits of the public key, for the error beyond them.
    public var publicKeyLimits: String?
    /// Whether every request needs the user's own key.
    public var isRequired = false

    /// A key that is sent if there is one.
    public init(variable: String, place: Place, help: String) {
        self.variable = variable
        self.place = place
        self.help = help
    }
}
