internal import SpyglassThreads

/// The work of a run, which anybody may cancel: who asked for it, or an item that finds that there is no going on.
final class CancellableWork: Sendable {
    private struct State {
        var task: Task<(any Error)?, Never>?
        var isCancelled = false
    }

    /// Held while the task is made, so that none of its items comes too early to cancel it.
    private let state = Mutex(State())

    /// Does the work, once, and returns why it ended early.
    func value(of body: @escaping @Sendable () async -> (any Error)?) async -> (any Error)? {
        let task = state.withLock { state in
            let task = Task { await body() }
            state.task = task
            if state.isCancelled { task.cancel() }
            return task
        }
        return await task.value
    }

    /// Cancels the work, also if it has not begun.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
