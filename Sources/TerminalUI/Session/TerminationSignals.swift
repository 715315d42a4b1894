internal import SpyglassCTerminal

/// The signals that end a process, for a program that must clean up first.
///
///     guard TerminationSignals.watch() else { return }
///     let signal = TerminationSignals.wait()  // on a thread of its own
///     TerminationSignals.terminate(bySignal: signal)
///
/// The first SIGINT, SIGTERM or SIGHUP is only recorded. A second SIGINT ends the process.
package enum TerminationSignals {
    /// Sets handlers, except for ignored signals; once a process, after `TerminalRestorer.install()`.
    ///
    /// Returns whether that succeeded. C: `eventfd`, `sigaction`.
    package static func watch() -> Bool { sg_signals_watch(SG_SIGNALS_RECORD) == 0 }

    /// Blocks the calling thread until the first signal, and returns it.
    package static func wait() -> Int32 { sg_signals_wait() }

    /// The first signal, if any has arrived; never waits.
    package static var received: Int32? {
        let signal = sg_signals_recorded()
        return signal == 0 ? nil : signal
    }

    /// Ends the process by a signal's default action, so that the parent process sees the signal.
    ///
    /// C: `signal(SIG_DFL)`, `raise`.
    package static func terminate(bySignal signal: Int32) -> Never { sg_signals_terminate(signal) }
}
