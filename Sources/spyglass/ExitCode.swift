/// How a run ended, as the shell sees it.
enum ExitCode: Int32, Sendable {
    /// All well, nothing found, or the reader closed the pipe.
    case success = 0
    /// At least one item failed or was partial, even if all did.
    case someFailed = 1
    /// The command line is wrong, or an answer blames what it asked for.
    case usage = 2
    /// The command itself could not go on; trying again later may help.
    case unavailable = 3
    /// A fault of this program.
    case fault = 4
}

/// Ends a command at once, with one sentence for a person and the exit code.
struct Failure: Error, Hashable, Sendable {
    let code: ExitCode
    /// One sentence without `spyglass:` and without a newline; cleaned when it is printed.
    let message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    static func usage(_ message: String) -> Failure { Failure(.usage, message) }
}
