public import SpyglassFetching
internal import SpyglassThreads

/// A transport that responds by a closure.
public struct StubTransport: Transport {
    private let respond: @Sendable (FetchRequest) async throws -> FetchResponse

    /// Creates a transport.
    public init(_ respond: @escaping @Sendable (FetchRequest) async throws -> FetchResponse) { self.respond = respond }

    /// Calls the closure.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse { try await respond(request) }
}

/// A transport that responds by a closure, and records its requests.
public final class ScriptedTransport: Transport {
    /// Returns the response to a request and the number of requests before it.
    public typealias Script = @Sendable (FetchRequest, Int) async throws -> FetchResponse

    private let recorded = Mutex<[FetchRequest]>([])
    private let script: Script

    /// Creates a transport.
    public init(_ script: @escaping Script) { self.script = script }

    /// Creates a transport with one response to every request.
    public convenience init(status: Int = 200, _ body: String, headers: [(String, String)] = []) {
        self.init { request, _ in
            FetchResponse(
                address: request.address, status: status,
                headers: HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0, value: $1) }), body: Array(body.utf8))
        }
    }

    /// All requests, in order.
    public var requests: [FetchRequest] { recorded.withLock(\.self) }
    /// The number of requests.
    public var count: Int { requests.count }
    /// The requested addresses, in order.
    public var addresses: [String] { requests.map(\.address.text) }

    /// Records the request, and calls the script.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        let before = recorded.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        return try await script(request, before)
    }
}
