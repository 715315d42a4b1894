internal import SpyglassCTerminal

/// Restores the terminal when a signal ends the process.
///
///     TerminalRestorer.install()  // first of all
///
/// A signal may arrive in the middle of an image or an escape sequence, while the terminal reads slowly. `StreamWriter` announces
/// its writes. A handler in C sends the sequences prepared here, then raises the signal again with its default action. So the
/// parent process sees the signal.
public enum TerminalRestorer {
    /// Sets handlers for the signals whose default action ends the process, except for faults, if they have that action
    /// and standard output or standard error is a terminal.
    ///
    /// Call once a process, before it starts threads. Costs a few system calls. C: `isatty`, `sigaction`.
    public static func install() {
        prepare(SG_RESTORE_SEQUENCES, SGR.cancelAndReset)
        prepare(SG_RESTORE_PROGRESS, SGR.clearLine)
        prepare(SG_RESTORE_LINE, "\n")
        prepare(SG_RESTORE_PICTURE, SGR.belowEverything)
        prepare(SG_RESTORE_KITTY, KittyCommands().end)
        prepare(SG_RESTORE_KITTY_IN_TMUX, KittyCommands(isInsideTmux: true).end)
        _ = sg_signals_watch(SG_SIGNALS_RESTORE)
    }

    /// Copies the bytes to memory that is never freed.
    private static func prepare(_ kind: sg_restore_kind, _ bytes: [UInt8]) {
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        memory.initialize(from: bytes, count: bytes.count)
        sg_restore_prepare(kind, memory, bytes.count)
    }

    static func prepare(_ kind: sg_restore_kind, _ text: StaticString) {
        sg_restore_prepare(kind, text.utf8Start, text.utf8CodeUnitCount)
    }

    /// Runs a write of these bytes so that a signal during it can be repaired.
    static func watch<Result>(_ descriptor: Int32, _ bytes: TerminalBytes, _ write: () -> Result) -> Result {
        let begun: sg_restore_kind =
            switch bytes.residue {
            case .progress: SG_RESTORE_PROGRESS
            case .none, .plainProgress: SG_RESTORE_LINE
            case .picture: SG_RESTORE_PICTURE
            }
        var sequences = bytes.raw.contains(0x1B) ? SG_RESTORE_SEQUENCES.rawValue : 0
        if let images = bytes.streamedImages {
            sequences |= (images == .kitty ? SG_RESTORE_KITTY : SG_RESTORE_KITTY_IN_TMUX).rawValue
        }
        sg_restore_begin(descriptor, begun.rawValue | sequences)
        let isComplete = bytes.residue == .none || bytes.residue == .picture
        defer { sg_restore_end(descriptor, isComplete ? 0 : begun.rawValue) }
        return write()
    }
}

/// The signals that end a process, for a program that must clean up first.
///
///     guard TerminationSignals.watch() else { return }
///     let signal = TerminationSignals.wait()  // on a thread of its own
///     TerminationSignals.terminate(bySignal: signal)
///
/// The first SIGINT, SIGTERM or SIGHUP is recorded, and ends the process after five seconds. A second SIGINT ends it immediately.
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
