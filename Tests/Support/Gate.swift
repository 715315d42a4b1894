internal import Glibc
internal import SpyglassThreads

/// Holds threads, such as a scripted server's, until the test opens it; once open, it stays open.
public final class Gate: Sendable {
    /// The reading end of a pipe: it hangs up, which `poll` sees, once the gate is open.
    let descriptor: Int32
    /// The writing end, until it is closed.
    private let bolt: Mutex<Int32?>

    /// Creates a closed gate.
    public init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { preconditionFailure("no pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        bolt = Mutex(ends[1])
    }

    deinit {
        open()
        close(descriptor)
    }

    /// Releases all waiters, now and later.
    public func open() {
        bolt.withLock { bolt in
            if let end = bolt { close(end) }
            bolt = nil
        }
    }

    /// Blocks the calling thread until the gate is open (`poll`); never call it on the cooperative pool.
    public func wait() {
        var watched = pollfd(fd: descriptor, events: 0, revents: 0)
        while poll(&watched, 1, -1) < 1 {}
    }
}

/// Holds tasks until a test opens it or they are cancelled.
public final class AsyncGate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var cancelled: Set<Int> = []
        var next = 0
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// Returns once the gate is open.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
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

    /// Releases all waiters, now and later.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }
}
