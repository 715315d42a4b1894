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
