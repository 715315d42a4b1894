internal import Glibc

/// Why the terminal or an output failed; the description is one line for people; new cases may be added.
@nonexhaustive
public enum TerminalError: Error, Hashable, Sendable {
    /// The reader closed the output (`EPIPE`), as `head` does. This is not a failure: end quietly, with success.
    case outputClosed
    /// A write failed, for example because the device is full.
    case writeFailed(errno: Int32)
    /// Standard input or output is not a terminal, or the process is in its background.
    case noTerminal
    /// A system call failed while the terminal was opened, with the C library's message.
    case openFailed(String)
}

extension TerminalError: CustomStringConvertible {
    /// One line: the failure and its reason.
    public var description: String {
        switch self {
        case .outputClosed: "output closed by the reader"
        case .writeFailed(let number): "cannot write the output: \(String(cString: strerror(number)))"
        case .noTerminal:
            "cannot open the terminal: standard input or output is not a usable terminal; "
                + "check for a background job or another user's terminal (su)"
        case .openFailed(let reason): "cannot open the terminal: \(reason)"
        }
    }
}
