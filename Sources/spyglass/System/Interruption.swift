internal import SpyglassTerminalUI
internal import SpyglassThreads

/// The signals that end a run: those of this process, or a fake.
protocol Interruption: Sendable {
    func signal() async -> Int32
    /// The first one, if any; set before `signal()` returns.
    var received: Int32? { get }
    /// Ends the process as the signal would have.
    func terminate(bySignal signal: Int32)
}

/// The signals of this process, intercepted so that a run can clean up.
struct SignalInterruption: Interruption {
    private let threads = ThreadPool(count: 1)

    /// Intercepts them; `nil` if that fails: then they end the process immediately.
    init?() {
        guard TerminationSignals.watch() else { return nil }
    }

    func signal() async -> Int32 {
        // Throws only if its task is cancelled before the thread starts; then no task waits.
        (try? await threads.run { _ in TerminationSignals.wait() }) ?? 0
    }

    var received: Int32? { TerminationSignals.received }

    func terminate(bySignal signal: Int32) { TerminationSignals.terminate(bySignal: signal) }
}
