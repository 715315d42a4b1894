/// Where bytes come from: the network, a recorded archive, or a test.
///
///     let transport: any Transport = CurlTransport()
///     let response = try await transport.fetch(FetchRequest(address))
///
/// A transport answers every status a server gives (a 404 is a response, not an error) and throws when there is no
/// usable answer at all. It may be called from any task, any number of times at once; cancelling the calling task
/// cancels the fetch.
public protocol Transport: Sendable {
    /// Fetches one address.
    ///
    /// - Throws: `FetchError` when no answer came, or it broke a limit of the request; `CancellationError` when the task was cancelled.
    func fetch(_ request: FetchRequest) async throws -> FetchResponse
}

/// What to fetch, how urgently, and within which limits.
public struct FetchRequest: Hashable, Sendable {
    /// Where.
    public var address: WebAddress
    /// What kind of answer is wanted: sent as `Accept`.
    public var accept: String
    /// The largest body that is taken, in bytes after content decoding; a larger one is an error before it is stored.
    public var bodyLimit: Int
    /// How urgent it is beside others that wait for a free connection.
    public var priority: FetchPriority

    /// A request with the design's limits: 64 MiB for a body.
    public init(
        _ address: WebAddress, accept: String = "*/*", bodyLimit: Int = 64 << 20,
        priority: FetchPriority = .visible
    ) {
        self.address = address
        self.accept = accept
        self.bodyLimit = bodyLimit
        self.priority = priority
    }
}

/// How urgent a fetch is. Greater is sooner.
public enum FetchPriority: Int, Comparable, Hashable, Sendable {
    /// Might be wanted later.
    case prefetch
    /// Just outside what is on the screen.
    case near
    /// On the screen now.
    case visible

    /// Orders by urgency.
    public static func < (left: FetchPriority, right: FetchPriority) -> Bool { left.rawValue < right.rawValue }
}

/// A whole answer.
public struct FetchResponse: Hashable, Sendable {
    /// The address that answered, after redirects.
    public var address: WebAddress
    /// The HTTP status.
    public var status: Int
    /// The header fields, in the order they came.
    public var headers: HTTPHeaders
    /// The body, content-decoded.
    public var body: [UInt8]

    /// An answer put together by a transport.
    public init(address: WebAddress, status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.address = address
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Header fields in order; names compare without regard to case (RFC 9110 section 5.1).
public struct HTTPHeaders: Hashable, Sendable {
    /// One field.
    public struct Field: Hashable, Sendable {
        /// The name, as the server wrote it.
        public let name: String
        /// The value, without surrounding white space.
        public let value: String

        /// A field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order; a name may stand more than once.
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// These fields, in this order.
    public init(_ fields: [Field]) { self.fields = fields }

    /// Appends a field.
    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// The last value of a field, or `nil`.
    public subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return fields.last { $0.name.lowercased() == wanted }?.value
    }
}
