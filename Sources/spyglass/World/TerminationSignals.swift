import Glibc

/// The signals that end a run, taken one by one by the thread that waits for them.
///
/// There is no handler, so nothing has to be async-signal-safe: the signals are blocked in every thread, and one thread
/// takes them with sigwait(3).
struct TerminationSignals {
    private let set: sigset_t

    /// What people and systems end a program with.
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Blocks the signals in this thread and in those that it will start.
    ///
    /// One that is ignored, as nohup(1) does, stays so.
    static func block() -> TerminationSignals {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers where !isIgnored(number) { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        return TerminationSignals(set: set)
    }

    /// Waits for one of them.
    func wait() -> Int32 {
        var set = set
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }

    /// Ends the process by a signal's default action, so that whoever waits for it sees the signal.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        raise(number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        // Not reached: the default action of each of them ends the process.
        _exit(128 + number)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // SIG_IGN is the handler at address 1 (<bits/signum-generic.h>), which Swift has no value for.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
