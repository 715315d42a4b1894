internal import SpyglassCTerminal

/// Leaves a usable terminal behind when a signal ends the process.
///
///     TerminalRestorer.install()  // first of all
///
/// A signal comes when it likes: in the middle of a picture, or of an escape sequence, while the terminal takes bytes as
/// slowly as it likes. `StreamWriter` tells what it is about to write; a handler in C sends what was prepared here, and
/// raises the signal again with its default action, so that whoever waits for the process sees the signal.
public enum TerminalRestorer {
    /// Sets handlers for SIGINT, SIGTERM, SIGHUP and SIGQUIT, where they have their default action and standard output
    /// or standard error is a terminal.
    ///
    /// Once a process, before it starts threads. Costs a few system calls and starts nothing. C: `isatty`, `sigaction`.
    public static func install() {
        prepare(SG_RESTORE_SEQUENCES, SGR.cancelAndReset)
        prepare(SG_RESTORE_PROGRESS, SGR.clearLine)
        prepare(SG_RESTORE_LINE, "\n")
        sg_restore_install()
    }

    private static func prepare(_ kind: sg_restore_kind, _ text: StaticString) {
        sg_restore_prepare(kind, text.utf8Start, text.utf8CodeUnitCount)
    }

    /// Writes bytes in such a way that a signal in the middle of them does no harm.
    static func watch<Result>(_ descriptor: Int32, _ bytes: TerminalBytes, _ write: () -> Result) -> Result {
        let begun: sg_restore_kind = bytes.residue == .progress ? SG_RESTORE_PROGRESS : SG_RESTORE_LINE
        let sequences: UInt32 = bytes.raw.contains(0x1B) ? SG_RESTORE_SEQUENCES.rawValue : 0
        sg_restore_begin(descriptor, begun.rawValue | sequences)
        defer { sg_restore_end(descriptor, bytes.residue == .none ? 0 : begun.rawValue) }
        return write()
    }
}
