internal import SpyglassFetching
internal import SpyglassThreads

/// One caller's wish for the outcome of shared work: settled once, by the work's end or by the caller who leaves.
///
/// Thread-safe. Nothing foreign is called while its lock is held.
final class Promise<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, any Error>

    private struct State {
        var outcome: Outcome?
        var watchers: [@Sendable (Outcome) -> Void] = []
    }

    private let state: Mutex<State>

    /// A wish that is open, or settled from the start.
    init(_ outcome: Outcome? = nil) { state = Mutex(State(outcome: outcome)) }

    /// What it was settled with.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    /// Settles it, unless it is already; whether this call did.
    @discardableResult
    func resolve(_ outcome: Outcome) -> Bool {
        let watchers = state.withLock { state -> [@Sendable (Outcome) -> Void]? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.watchers = [] }
            return state.watchers
        }
        for watch in watchers ?? [] { watch(outcome) }
        return watchers != nil
    }

    /// Has `watch` told of the outcome, at once where there is one, otherwise on the thread that settles it.
    func onCompletion(_ watch: @escaping @Sendable (Outcome) -> Void) {
        let outcome = state.withLock { state -> Outcome? in
            if state.outcome == nil { state.watchers.append(watch) }
            return state.outcome
        }
        if let outcome { watch(outcome) }
    }

    /// The outcome, when it is there.
    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                onCompletion { continuation.resume(with: $0) }
            }
        }
    }
}
