import SpyglassThreads

/// Ends a run early, on a signal or when its report is closed; safe to use from any thread.
final class CancellationToken: Sendable {
    private struct State {
        var isStopped = false
        var signal: Int32?
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let received: @Sendable () -> Int32?

    /// A token that is not stopped; `received` returns a signal that has arrived, also before `stop`.
    init(_ received: @escaping @Sendable () -> Int32? = { nil }) { self.received = received }

    /// The signal that stopped it, or is about to stop it.
    var signal: Int32? { state.withLock { $0.signal } ?? received() }

    var isStopped: Bool { state.withLock(\.isStopped) }

    /// Calls `action` once stopped; immediately if it already is.
    func onStop(_ action: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.action = action
            return state.isStopped
        }
        if isStopped { action() }
    }

    func stop(of signal: Int32? = nil) {
        let action = state.withLock { state in
            state.isStopped = true
            state.signal = state.signal ?? signal
            return state.action
        }
        action?()
    }
}
