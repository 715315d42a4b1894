internal import SpyglassCaching
internal import SpyglassFetching
internal import SpyglassTerminalUI

/// Everything outside of the program that a command touches, so that tests can run commands whole.
struct SystemServices: Sendable {
    var environment: Environment
    var output: any ByteSink
    var errors: any ByteSink
    var input: any ByteSource
    /// Whether people see standard error at once: only then a line of progress makes sense.
    var errorsAreTerminal: Bool
    /// The capabilities of the terminal, for a colour depth that an option sets.
    var terminal: @Sendable (TerminalCapabilities.Finding<ColorDepth>?) -> TerminalCapabilities
    /// Whether a name is that of an existing file that is not a folder.
    var isFile: @Sendable (Argument) -> Bool
    var clock: any Clock<Duration>
    /// Returns the network for some settings and a number of connections; connects with the first fetch.
    var network: @Sendable (Settings, Int?, @escaping FetchEvent.Observer) -> any Transport
    /// The calendar, for what HTTP says of time.
    var now: @Sendable () -> WallTime
    /// The most memory that the process has held, in bytes.
    var peakMemory: @Sendable () -> Int
    /// The terminal for a program that takes all of it, told where to report what happens; `nil` where there is none.
    var screen: @Sendable (@escaping @Sendable (TerminalSession.Event) -> Void) -> (any FullScreenTerminal)? = { _ in
        nil
    }
    /// Takes over the signals that end a process, for a run that puts its work in order first; `nil` where there are none.
    var interruption: @Sendable () -> (any Interruption)? = { nil }
}
