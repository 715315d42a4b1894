package import SpyglassCaching
internal import SpyglassThreads

/// A source of bytes: the network, an archive or a test.
///
///     let transport: any Transport = CurlTransport()
///     let response = try await transport.fetch(FetchRequest(address))
///
/// A transport returns every HTTP status: a 404 is a response, not an error. It throws if it has no usable response. It may be
/// called concurrently from any task; cancelling the task cancels the fetch.
public protocol Transport: Sendable {
    /// Fetches one address.
    ///
    /// - Throws: `FetchError` without a usable response; `CancellationError` if the task was cancelled.
    func fetch(_ request: FetchRequest) async throws -> FetchResponse
}

/// Refuses every address: a folder has none.
package struct NoTransport: Transport {
    package init() {}

    package func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        throw FetchError(.disallowed, "\(request.address): a folder needs no addresses")
    }
}

/// An address to fetch, with its priority and limits.
public struct FetchRequest: Hashable, Sendable {
    /// The address.
    public var address: WebAddress
    /// The `Accept` header field.
    public var accept: String
    /// More header fields, such as `If-None-Match`, sent also with redirects; keys only to the same host and port.
    ///
    /// Control characters are removed. Fields with invalid names (RFC 9110 section 5.6.2) are not sent.
    public var headers: HeaderFields
    /// The maximum body in bytes, after content decoding; larger ones are an error.
    public var bodyLimit: Int
    /// Who named the address, and so where it may lead.
    public var trust: NetworkReach
    /// A key in the address or in a header field: no redirect leads to another host, and responses do not repeat it.
    package var secret: String?
    /// The parameter of the address that holds the key of a service: a response to one key is stored for all.
    package var keyParameter: String?
    /// Whether caches revalidate a fresh response.
    public var revalidates = false
    /// Set by caches: a stale response exists, so that an early failure is better than long retries.
    var hasFallback = false
    /// Whether a minimum rate bounds the time of the body instead of a deadline: for bodies that are saved, over links of any speed.
    package var usesMinRate = false
    /// The time that earlier tries have spent on the body, of its deadline.
    var spentBodyTime = Duration.zero
    /// Whether the response keeps its share of `WorkMemory` until its last copy is released.
    ///
    /// For a requester that decodes the body and then drops it; responses that are kept must not block others.
    package var keepsMemory = false
    /// How the body is delivered: by default in the response.
    package var delivery = BodyDelivery.buffered
    /// Changes the priority of a running fetch and receives its body.
    package var control: FetchControl?
    private let startPriority: FetchPriority

    /// The current priority among queued fetches.
    public var priority: FetchPriority { control?.priority ?? startPriority }

    static let defaultBodyLimit = 64 << 20

    /// A request with a limit of 64 MiB for the body.
    public init(
        _ address: WebAddress, accept: String = "*/*", headers: HeaderFields = HeaderFields(),
        bodyLimit: Int = 64 << 20,
        priority: FetchPriority = .visible, trust: NetworkReach = .any
    ) {
        self.address = address
        self.accept = accept
        self.headers = headers
        self.bodyLimit = bodyLimit
        startPriority = priority
        self.trust = trust
    }
}

/// How a body is delivered.
package enum BodyDelivery: Hashable, Sendable {
    /// In `FetchResponse.body`.
    case buffered
    /// To `FetchControl.onBody`, as it arrives from the network, for bodies larger than memory.
    ///
    /// Only for successful responses; `FetchResponse.streamedByteCount` counts the bytes. Archives and caches may still return the
    /// body in the response. The fetch fails if `onBody` returns `false`.
    case streamed
    /// Not at all: a `HEAD` request (RFC 9110 section 9.3.2).
    case headersOnly
}

/// The networks that an address may lead to, as `CurlTransport` checks them.
public enum NetworkReach: Hashable, Sendable {
    /// Any network, also a private one: for addresses that the user typed, or that an endpoint of the user's choice named.
    case any
    /// Public addresses only: for those that a service on the Internet, or a stranger, named.
    case publicAddresses

    /// The reach of addresses in a response.
    ///
    /// A service in a private network is the user's choice, and may name its neighbours.
    package static func named(in response: FetchResponse) -> NetworkReach {
        response.isFromPrivateNetwork ? .any : .publicAddresses
    }
}

/// The urgency of a fetch; greater is sooner.
public enum FetchPriority: Int, Comparable, Hashable, Sendable {
    /// Possibly needed later.
    case prefetch
    /// Just outside the screen.
    case near
    /// On the screen.
    case visible

    /// Orders by urgency.
    public static func < (left: FetchPriority, right: FetchPriority) -> Bool { left.rawValue < right.rawValue }
}

/// A complete response.
public struct FetchResponse: Hashable, Sendable {
    /// The address after redirects.
    public var address: WebAddress
    /// The HTTP status.
    public var status: Int
    /// The header fields, in order.
    public var headers: HeaderFields
    /// The body, content-decoded; empty if streamed or not requested.
    public var body: [UInt8]
    /// Bytes of the body that were streamed, after content decoding.
    package var streamedByteCount = 0
    /// The redirects, in order.
    public var redirects: [Redirect]
    /// Whether the requested address is in a private network, by its spelling or by name resolution.
    ///
    /// `false` from transports without a network, and from `CurlTransport` for names behind a proxy.
    public var isFromPrivateNetwork: Bool
    /// The source of the body.
    public var origin: Origin
    /// Whether the response is current.
    public var freshness: Freshness
    /// How long it may be reused, set by caches; `nil` if it must not be stored.
    package var lifetime: Lifetime?
    /// Memory reserved by its body and the parts that it was joined from.
    var memory = BodyMemory()

    /// The source of a body.
    public enum Origin: Hashable, Sendable {
        /// The network.
        case network
        /// The disk cache.
        case cache
        /// A recorded archive, or a substitute for the network in a demo or a test.
        case archive
    }

    /// Whether a response is current (RFC 9111 section 4.2).
    public enum Freshness: Hashable, Sendable {
        /// New, or usable without revalidation.
        case fresh
        /// Confirmed by the server.
        case revalidated
        /// Too old, and the server could not be asked.
        case stale
    }

    package struct Lifetime: Hashable, Sendable {
        package var freshUntil: WallTime
        /// Whether a cache may serve it stale if the server fails (not with `must-revalidate`).
        package var allowsStale: Bool

        package init(freshUntil: WallTime, allowsStale: Bool) {
            self.freshUntil = freshUntil
            self.allowsStale = allowsStale
        }
    }

    /// A redirect.
    public struct Redirect: Hashable, Sendable {
        /// The address that redirected.
        public var address: WebAddress
        /// The HTTP status: 301, 302, 303, 307 or 308.
        public var status: Int
        /// The header fields, with `Location`.
        public var headers: HeaderFields

        /// A redirect.
        public init(address: WebAddress, status: Int, headers: HeaderFields) {
            self.address = address
            self.status = status
            self.headers = headers
        }
    }

    /// A response made by a transport.
    public init(
        address: WebAddress, status: Int, headers: HeaderFields = HeaderFields(), body: [UInt8] = [],
        redirects: [Redirect] = [], isFromPrivateNetwork: Bool = false, origin: Origin = .network,
        freshness: Freshness = .fresh
    ) {
        self.address = address
        self.status = status
        self.headers = headers
        self.body = body
        self.redirects = redirects
        self.isFromPrivateNetwork = isFromPrivateNetwork
        self.origin = origin
        self.freshness = freshness
    }
}

/// Reserved memory, released with the last copy of the response; all values are equal.
struct BodyMemory: Hashable, Sendable {
    var shares: [WorkMemory.Body] = []

    /// Returns whether an incomplete body may be kept.
    @discardableResult
    func end(isComplete: Bool) -> Bool { shares.allSatisfy { $0.end(isComplete: isComplete) } }

    static func == (_: BodyMemory, _: BodyMemory) -> Bool { true }
    func hash(into _: inout Hasher) {}

    /// Calls `read` on one of the threads, again once the length that `mayRead` refused is reserved; call `end` on the result.
    static func read<Value: Sendable>(
        in memory: WorkMemory?, for request: FetchRequest, on threads: ThreadPool, _ ticket: WorkTicket,
        _ read: @escaping @Sendable (_ mayRead: (Int) -> Bool) throws -> Value
    ) async throws -> (Value, BodyMemory) {
        var body = BodyMemory()
        var reserved = memory == nil ? Int.max : WorkMemory.minBytes
        while true {
            let (value, needed) = try await threads.run(ticket) { [reserved] _ in
                var needed = 0
                let value = try read {
                    needed = $0
                    return needed <= reserved
                }
                return (value, needed)
            }
            guard let memory, needed > reserved else { return (value, body) }
            body = BodyMemory()
            do { body = try await reserve(needed, in: memory) } catch let refusal as WorkMemory.Refusal {
                throw FetchError(refusal, request.address)
            }
            reserved = needed
        }
    }

    private static func reserve(_ bytes: Int, in memory: WorkMemory) async throws -> BodyMemory {
        let (rooms, room) = AsyncStream.makeStream(of: Void.self)
        let body = memory.body { room.yield() }
        room.yield()
        for await _ in rooms where try body.grow(to: bytes, expected: bytes) { return BodyMemory(shares: [body]) }
        throw CancellationError()
    }
}

extension FetchRequest {
    /// Runs `fetch` with a request whose response keeps its memory; releases the memory unless this request keeps it.
    func countingMemory(
        _ fetch: (FetchRequest) async throws -> FetchResponse
    ) async throws -> FetchResponse {
        var counted = self
        counted.keepsMemory = true
        do {
            var response = try await fetch(counted)
            if !keepsMemory { response.memory = BodyMemory() }
            return response
        } catch let error as FetchError {
            throw keepsMemory ? error : error.withoutMemory
        }
    }
}

extension FetchError {
    /// The error with a partial response that holds no `WorkMemory`.
    package var withoutMemory: FetchError {
        var error = self
        error.partialResponse?.memory = BodyMemory()
        return error
    }
}

extension FetchResponse {
    /// Bytes in memory: the body and all header fields.
    var byteCount: Int { body.count + headers.byteCount + redirects.reduce(0) { $0 + $1.headers.byteCount } }
    var bodyLength: Int { body.count + streamedByteCount }
    var addresses: [WebAddress] { [address] + redirects.map(\.address) }

    func withoutBody(length: Int) -> FetchResponse {
        var head = self
        head.body = []
        head.memory = BodyMemory()
        head.headers = headers.removing(["Content-Length", "Content-Encoding"])
        head.headers.add(name: "Content-Length", value: "\(length)")
        return head
    }
}
