import SpyglassThreads

/// Ends a run early, for a signal or since nobody can be told of it any more; safe to use from any thread.
final class CancellationToken: Sendable {
    private struct State {
        var isStopped = false
        var signal: Int32?
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let received: @Sendable () -> Int32?

    /// A switch that nobody has touched; `received` is the signal that has come, also where nobody has called `stop` for it yet.
    init(_ received: @escaping @Sendable () -> Int32? = { nil }) { self.received = received }

    /// The signal that stopped it, or is about to.
    var signal: Int32? { state.withLock { $0.signal } ?? received() }

    /// Whether it was stopped, for work that asks now and then.
    var isStopped: Bool { state.withLock(\.isStopped) }

    /// Has `action` called once it is stopped, also if that has happened before.
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
