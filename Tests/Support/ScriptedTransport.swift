public import SpyglassFetching

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

    private struct State {
        var script: Script
        var requests: [FetchRequest] = []
        var cancelled: [FetchRequest] = []
        var running = 0
        var maxRunning = 0
    }

    private let state: WatchedValue<State>
    private let gate: AsyncGate?
    private let ignoresCancellation: Bool

    /// Creates a transport whose fetches wait for the gate, if any.
    public init(gate: AsyncGate? = nil, ignoresCancellation: Bool = false, _ script: @escaping Script) {
        state = WatchedValue(State(script: script))
        self.gate = gate
        self.ignoresCancellation = ignoresCancellation
    }

    /// Creates a transport with one response to every request.
    public convenience init(status: Int = 200, _ body: String, headers: [(String, String)] = []) {
        self.init { request, _ in
            FetchResponse(
                address: request.address, status: status,
                headers: HeaderFields(headers.map { HeaderFields.Field(name: $0, value: $1) }), body: Array(body.utf8))
        }
    }

    /// All requests, in order.
    public var requests: [FetchRequest] { state.value.requests }
    /// The number of requests.
    public var count: Int { requests.count }
    /// The requested addresses, in order.
    public var addresses: [String] { requests.map(\.address.text) }
    /// The requests that were cancelled while they waited for the gate, in order.
    public var cancelled: [FetchRequest] { state.value.cancelled }
    /// The number of current fetches.
    public var runningCount: Int { state.value.running }
    /// The largest number of concurrent fetches.
    public var maxRunningCount: Int { state.value.maxRunning }

    /// Replaces the script for later responses.
    public func setScript(_ script: @escaping Script) { state.change { $0.script = script } }

    /// Opens the gate.
    public func open() { gate?.open() }

    /// Waits until so many fetches have started.
    public func waitForRequests(_ count: Int) async { await state.wait { $0.requests.count >= count } }

    /// Waits until the cancelled requests meet a condition.
    public func waitForCancellations(until isSatisfied: @escaping @Sendable ([FetchRequest]) -> Bool) async {
        await state.wait { isSatisfied($0.cancelled) }
    }

    /// Records the request, waits for the gate, and calls the script.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        let before = state.change { state in
            state.requests.append(request)
            state.running += 1
            state.maxRunning = max(state.maxRunning, state.running)
            return state.requests.count - 1
        }
        defer { state.change { $0.running -= 1 } }
        do {
            if ignoresCancellation {
                try await Task { [gate] in try await gate?.wait() }.value
            } else {
                try await gate?.wait()
            }
        } catch {
            state.change { $0.cancelled.append(request) }
            throw error
        }
        return try await state.value.script(request, before)
    }
}

extension FetchRequest {
    /// A request whose priority and body `control` follows.
    package init(_ address: WebAddress, control: FetchControl?) {
        self.init(address)
        self.control = control
    }
}
