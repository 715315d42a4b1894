internal import SpyglassTerminalUI
internal import SpyglassThreads

/// The signals that ask a run to end: those of this process, or a test's.
protocol Interruption: Sendable {
    /// Waits for the first one.
    func signal() async -> Int32
    /// The first one, if it has come, before anybody who waits has heard of it.
    var received: Int32? { get }
    /// Ends the process as the signal would have.
    func terminate(bySignal signal: Int32)
}

/// The signals of this process, held back so that work can be put in order first.
struct SignalInterruption: Interruption {
    /// A thread that waits for nothing else.
    private let threads = ThreadPool(count: 1)

    /// Takes them over; `nil` where that cannot be done, and they end the process at once.
    init?() {
        guard TerminationSignals.watch() else { return nil }
    }

    func signal() async -> Int32 {
        // It throws only when its task is cancelled before the thread has begun; then nobody waits any more.
        (try? await threads.run { _ in TerminationSignals.wait() }) ?? 0
    }

    var received: Int32? { TerminationSignals.received }

    func terminate(bySignal signal: Int32) { TerminationSignals.terminate(bySignal: signal) }
}
