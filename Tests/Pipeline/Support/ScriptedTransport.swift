import SpyglassCaching
import SpyglassFetching
import SpyglassThreads

/// Returns scripted responses, counts fetches, and holds them until the test releases them.
final class ScriptedTransport: Transport {
    typealias Answer = @Sendable (FetchRequest) async throws -> FetchResponse

    private struct State {
        var answer: Answer
        var isOpen: Bool
        var requests: [FetchRequest] = []
        var held: [Int: CheckedContinuation<Void, any Error>] = [:]
        var left: Set<Int> = []
        var cancelled = 0
        var running = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var cancellationWatchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>
    private let isDeaf: Bool

    /// Responds immediately unless `isPaused`; ignores cancellation if `isDeaf`.
    init(isPaused: Bool = false, isDeaf: Bool = false, answer: @escaping Answer) {
        state = Mutex(State(answer: answer, isOpen: !isPaused))
        self.isDeaf = isDeaf
    }

    /// Returns this body for every fetch, fresh for ever.
    convenience init(
        isPaused: Bool = false, isDeaf: Bool = false, body: [UInt8], lifetime: FetchResponse.Lifetime? = .forEver
    ) {
        self.init(isPaused: isPaused, isDeaf: isDeaf) { request in
            FetchResponse(address: request.address, status: 200, body: body, lifetime: lifetime)
        }
    }

    var transferCount: Int { state.withLock { $0.requests.count } }
    var requests: [FetchRequest] { state.withLock { $0.requests } }
    var cancelledCount: Int { state.withLock { $0.cancelled } }
    var runningCount: Int { state.withLock { $0.running } }

    /// Replaces the response for later fetches.
    func setAnswer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    /// Releases every fetch, also later ones.
    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [:] }
            return Array(state.held.values)
        }
        for continuation in held { continuation.resume() }
    }

    /// Waits until so many fetches have started.
    func waitForTransfers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.requests.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Waits until so many fetches were cancelled.
    func waitForCancellations(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.cancelled >= count { return true }
                state.cancellationWatchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        let (number, watchers) = state.withLock { state in
            state.requests.append(request)
            state.running += 1
            let count = state.requests.count
            let watchers = state.watchers.filter { $0.count <= count }.map(\.continuation)
            state.watchers.removeAll { $0.count <= count }
            return (count, watchers)
        }
        defer { state.withLock { $0.running -= 1 } }
        for watcher in watchers { watcher.resume() }
        do {
            try await wait(number)
        } catch {
            let watchers = state.withLock { state in
                state.cancelled += 1
                let count = state.cancelled
                defer { state.cancellationWatchers.removeAll { $0.count <= count } }
                return state.cancellationWatchers.filter { $0.count <= count }.map(\.continuation)
            }
            for watcher in watchers { watcher.resume() }
            throw error
        }
        return try await state.withLock { $0.answer }(request)
    }

    private func wait(_ number: Int) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.left.contains(number) { return .failure(CancellationError()) }
                    if state.isOpen { return .success(()) }
                    state.held[number] = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            guard !isDeaf else { return }
            let held = state.withLock { state in
                state.left.insert(number)
                return state.held.removeValue(forKey: number)
            }
            held?.resume(throwing: CancellationError())
        }
    }
}

extension FetchResponse.Lifetime {
    static let forEver = FetchResponse.Lifetime(freshUntil: WallTime(milliseconds: .max), allowsStale: true)
}

extension FetchResponse {
    init(
        address: WebAddress, status: Int, body: [UInt8], origin: Origin = .network, freshness: Freshness = .fresh,
        lifetime: Lifetime?
    ) {
        self.init(address: address, status: status, body: body, origin: origin, freshness: freshness)
        self.lifetime = lifetime
    }
}
