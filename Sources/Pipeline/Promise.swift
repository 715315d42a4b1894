internal import SpyglassThreads

/// The outcome of shared work for one caller; observers are called outside the lock.
final class Promise<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, any Error>

    private let state: Mutex<(outcome: Outcome?, observers: [@Sendable (Outcome) -> Void])>

    init(_ outcome: Outcome? = nil) { state = Mutex((outcome, [])) }

    /// Returns whether this call resolved it.
    @discardableResult
    func resolve(_ outcome: Outcome) -> Bool {
        let observers = state.withLock { state -> [@Sendable (Outcome) -> Void]? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers ?? [] { observer(outcome) }
        return observers != nil
    }

    /// Calls `observer` immediately if there is an outcome, otherwise on the thread that resolves it.
    func onCompletion(_ observer: @escaping @Sendable (Outcome) -> Void) {
        let outcome = state.withLock { state -> Outcome? in
            if state.outcome == nil { state.observers.append(observer) }
            return state.outcome
        }
        if let outcome { observer(outcome) }
    }

    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in onCompletion { continuation.resume(with: $0) } }
        }
    }
}
