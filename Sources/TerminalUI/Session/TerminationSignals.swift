internal import SpyglassCTerminal

/// The signals that ask a process to end, for a program that has something to put in order first.
///
///     guard TerminationSignals.watch() else { return }
///     let signal = TerminationSignals.wait()  // on a thread of its own
///     TerminationSignals.terminate(bySignal: signal)
///
/// The first SIGINT, SIGTERM or SIGHUP is only noted; a second SIGINT does what it would have done without this.
public enum TerminationSignals {
    /// Takes the signals over, those that are ignored left out; once a process, after `TerminalRestorer.install()`.
    ///
    /// Returns whether that could be done. C: `eventfd`, `sigaction`.
    public static func watch() -> Bool { sg_termination_watch() == 0 }

    /// Waits for the first of them, and says which; blocks its thread until then.
    public static func wait() -> Int32 { sg_termination_wait() }

    /// The first of them, if one has come; never waits.
    public static var received: Int32? {
        let signal = sg_termination_received()
        return signal == 0 ? nil : signal
    }

    /// Ends the process by a signal's default action, so that whoever waits for it sees the signal.
    ///
    /// C: `signal(SIG_DFL)`, `raise`.
    public static func terminate(bySignal signal: Int32) -> Never { sg_terminate_by_signal(signal) }
}
