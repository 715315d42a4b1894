public import SpyglassCaching

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
    /// More header fields to send, such as `If-None-Match`; they go with every redirect.
    ///
    /// Control characters are taken out, and fields whose name is none (RFC 9110 section 5.6.2) are not sent.
    public var headers: HTTPHeaders
    /// The largest body that is taken, in bytes after content decoding; a larger one is an error before it is stored.
    public var bodyLimit: Int
    /// Who named the address, and so how far it may lead.
    public var trust: AddressTrust
    /// Whether caches above the network ask it for a newer answer, however fresh theirs is.
    public var revalidates = false
    /// Whether a transfer of which little is left is brought to its end when its task is cancelled, and its answer returned.
    ///
    /// Closing the connection would cost more. Set by caches, which keep the answer.
    public var finishesWhenNearlyDone = false
    /// Whether there is something older to show where the fetch fails: better soon than after every try.
    ///
    /// `RetryingTransport` repeats such a fetch once at most, and never one that timed out or that is to wait; for
    /// `CurlTransport` a quarter of its stall limit is enough, and a host that is silent or wants a pause is not waited for.
    /// Set by caches.
    public var hasFallback = false
    /// What becomes of the body: by default it is gathered in the answer.
    public var delivery = BodyDelivery.buffered
    /// What hastens the fetch while it is under way and hears of what arrives.
    public var control: FetchControl?
    private let startPriority: FetchPriority

    /// How urgent it is beside others that wait for a free connection, at this moment.
    public var priority: FetchPriority { control?.priority ?? startPriority }

    /// What is taken of a body that is gathered, where nobody says otherwise (the design's limit).
    static let defaultBodyLimit = 64 << 20

    /// A request with the design's limits: 64 MiB for a body.
    public init(
        _ address: WebAddress, accept: String = "*/*", headers: HTTPHeaders = HTTPHeaders(), bodyLimit: Int = 64 << 20,
        priority: FetchPriority = .visible, trust: AddressTrust = .user, control: FetchControl? = nil
    ) {
        self.address = address
        self.accept = accept
        self.headers = headers
        self.bodyLimit = bodyLimit
        startPriority = priority
        self.trust = trust
        self.control = control
    }
}

/// What becomes of the body of an answer.
///
/// There may be more in a later version: keep a `default`.
public enum BodyDelivery: Hashable, Sendable {
    /// It stands in `FetchResponse.body`.
    case buffered
    /// Its bytes are handed to `FetchControl.onBody` as they come from the network and kept nowhere: for what is larger than memory.
    ///
    /// Only of successful answers; `FetchResponse.streamedByteCount` says how many they were. A transport that has the body at hand
    /// may gather it all the same (an archive, a cache): the bytes are then in the answer and were not handed on. When `onBody`
    /// says that no more is wanted, the fetch fails.
    case streamed
    /// It is not sent: only the head is asked for (`HEAD`, RFC 9110 section 9.3.2).
    case headersOnly
}

/// Who named an address, which decides whether it may lead into a private network (`CurlTransport` has the rule).
public enum AddressTrust: Hashable, Sendable {
    /// The user typed it, or chose the endpoint that named it.
    case user
    /// A service on the Internet named it: it must not lead into the user's own networks.
    case publicService

    /// The trust that addresses deserve which an answer names: a service in a private network (a mirror, a test) is the
    /// user's own choice and may name its neighbours.
    public static func named(in response: FetchResponse) -> AddressTrust {
        response.isFromPrivateNetwork ? .user : .publicService
    }
}

/// How urgent a fetch is.
///
/// Greater is sooner.
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
    /// The body, content-decoded; empty where the request has it handed on or omitted.
    public var body: [UInt8]
    /// How many bytes of the body were handed on instead (`BodyDelivery.streamed`), after content decoding.
    public var streamedByteCount = 0
    /// The redirects that led here, in order; empty when the first address answered.
    public var redirects: [Redirect]
    /// Whether the address that was asked stands in a private network, by its spelling or by what its name led to.
    ///
    /// Transports without a network say `false`; so does `CurlTransport` of a name behind a proxy.
    public var isFromPrivateNetwork: Bool
    /// Where the body comes from.
    public var origin: Origin
    /// How the answer stands to what the server has now.
    public var freshness: Freshness
    /// How long it may be used again, as seen by a cache; `nil` when it must not be kept.
    public var lifetime: Lifetime?

    /// Where the body of an answer comes from.
    public enum Origin: Hashable, Sendable {
        /// The network, just now.
        case network
        /// The disk cache.
        case cache
        /// A recorded archive, or whatever stands in for the network in a demo or a test.
        case archive
    }

    /// How an answer stands to what the server has now (RFC 9111 section 4.2).
    public enum Freshness: Hashable, Sendable {
        /// It came just now, or is young enough to be used without asking.
        case fresh
        /// The server was asked and said that it has not changed.
        case revalidated
        /// It is older than it should be, and the server could not be asked.
        case stale
    }

    /// How long a stored answer may be used, decided by `CachingTransport`.
    public struct Lifetime: Hashable, Sendable {
        /// Until when it is fresh.
        public var freshUntil: WallTime
        /// Whether it may be shown as stale when the server cannot be asked (not with `must-revalidate`).
        public var allowsStale: Bool

        /// A lifetime.
        public init(freshUntil: WallTime, allowsStale: Bool) {
            self.freshUntil = freshUntil
            self.allowsStale = allowsStale
        }
    }

    /// One answer that led on to another address.
    public struct Redirect: Hashable, Sendable {
        /// The address that answered.
        public var address: WebAddress
        /// The HTTP status: 301, 302, 303, 307 or 308.
        public var status: Int
        /// The header fields, `Location` among them.
        public var headers: HTTPHeaders

        /// A redirect seen by a transport.
        public init(address: WebAddress, status: Int, headers: HTTPHeaders) {
            self.address = address
            self.status = status
            self.headers = headers
        }
    }

    /// An answer put together by a transport.
    public init(
        address: WebAddress, status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [],
        redirects: [Redirect] = [], isFromPrivateNetwork: Bool = false, origin: Origin = .network,
        freshness: Freshness = .fresh, lifetime: Lifetime? = nil
    ) {
        self.address = address
        self.status = status
        self.headers = headers
        self.body = body
        self.redirects = redirects
        self.isFromPrivateNetwork = isFromPrivateNetwork
        self.origin = origin
        self.freshness = freshness
        self.lifetime = lifetime
    }
}

extension FetchResponse {
    /// The memory that it takes, in bytes: its body, and the header fields on the way to it.
    var byteCount: Int { body.count + headers.byteCount + redirects.reduce(0) { $0 + $1.headers.byteCount } }

    /// How long the body is that has come, wherever its bytes are.
    var bodyLength: Int { body.count + streamedByteCount }

    /// The same answer as `HEAD` would have it: its length in the head, and no body.
    func withoutBody(length: Int) -> FetchResponse {
        var head = self
        head.body = []
        head.headers = headers.removing(["Content-Length", "Content-Encoding"])
        head.headers.append("Content-Length", "\(length)")
        return head
    }
}
