internal import SpyglassThreads

/// Something tasks wait at until a test opens it, or until they are cancelled.
public final class AsyncGate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var cancelled: Set<Int> = []
        var next = 0
    }

    private let state = Mutex(State())

    /// A closed gate.
    public init() {}

    /// Returns once the gate is open.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before.
    public func wait() async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.contains(number) { return .failure(CancellationError()) }
                    if state.isOpen { return .success(()) }
                    state.waiting[number] = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.cancelled.insert(number)
                return state.waiting.removeValue(forKey: number)
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Lets everybody through, now and from now on.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }
}
