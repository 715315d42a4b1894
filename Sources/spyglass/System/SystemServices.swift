internal import Glibc
internal import SpyglassBrowser
internal import SpyglassCaching
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassSandbox
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// Everything outside of the program that a command uses; tests replace it.
struct SystemServices: Sendable {
    var environment: Environment
    var output: any ByteSink
    var errors: any ByteSink
    var input: any ByteSource
    /// Whether standard error is a terminal, so that progress is visible.
    var errorsAreTerminal: Bool
    /// The capabilities of the terminal, for a colour depth that an option sets.
    var terminal: @Sendable (TerminalCapabilities.Finding<ColorDepth>?) -> TerminalCapabilities
    /// Asks the terminal which images it supports, and with `true` its sixteen colours.
    var ask: @Sendable (_ asksPalette: Bool) -> TerminalQuery.Outcome = { _ in .notAsked }
    /// The path of the terminal's device.
    var device: @Sendable () -> String? = { nil }
    /// Whether a name is that of an existing file that is not a folder.
    var isFile: @Sendable (Argument) -> Bool
    /// Whether a name is that of an existing file or folder.
    var exists: @Sendable (Argument) -> Bool
    var clock: any Clock<Duration>
    /// Returns the network for some settings and a number of connections; connects with the first fetch.
    var network: @Sendable (Settings, Int?, @escaping FetchEvent.Observer) -> any Transport
    var now: @Sendable () -> WallTime
    var peakMemory: @Sendable () -> Int
    /// The CPU time of the process.
    var cpuTime: @Sendable () -> Duration
    /// The terminal for a full-screen program, with a receiver of its events; `nil` without a terminal.
    var screen: @Sendable (@escaping @Sendable (TerminalSession.Event) -> Void) -> (any FullScreenTerminal)? = { _ in
        nil
    }
    /// As `screen`, for a program that needs no keys: standard input may be anything.
    var outputScreen: @Sendable (@escaping @Sendable (TerminalSession.Event) -> Void) -> (any FullScreenTerminal)? = {
        _ in nil
    }
    /// Starts processes that decode images; `nil` where that is impossible.
    var launcher: (any DelegatingLauncher)?
    /// Gives up what a command does not need.
    var lock: @Sendable (SandboxUse, _ reading: [any FilePath]) -> Sandbox.Report? = { _, _ in nil }
    /// Intercepts the signals that end a process, for a run that cleans up first; `nil` where that is impossible.
    var interruption: @Sendable () -> (any Interruption)? = { nil }
}

/// An output: a standard stream, or memory in a test.
protocol ByteSink: Sendable {
    func write(_ bytes: TerminalBytes) throws(TerminalError)
}

extension StreamWriter: ByteSink {}

/// A terminal that a program takes over: a real one, or a fake.
protocol FullScreenTerminal: BrowserTerminal {
    func start(_ options: TerminalSession.Options) throws(TerminalError)
    func end()
    func terminate(bySignal signal: Int32)
}

extension TerminalSession: FullScreenTerminal {
    func terminate(bySignal signal: Int32) { Self.terminate(bySignal: signal) }
}

struct Environment: Sendable {
    private let lookUp: @Sendable (String) -> String?
    private let hasPrefix: @Sendable (String) -> Bool

    /// The variables of this process, read on demand: most runs need few.
    static let ofProcess = Environment(
        lookUp: { name in getenv(name).map { String(cString: $0) } },
        hasPrefix: { prefix in
            var entry = environ
            while let variable = entry.pointee {
                if strncmp(variable, prefix, prefix.utf8.count) == 0 { return true }
                entry += 1
            }
            return false
        })

    subscript(name: String) -> String? { lookUp(name) }

    func hasName(withPrefix prefix: String) -> Bool { hasPrefix(prefix) }
}

extension Environment {
    init(_ variables: [String: String] = [:]) {
        self.init(lookUp: { variables[$0] }, hasPrefix: { prefix in variables.keys.contains { $0.hasPrefix(prefix) } })
    }
}

/// The signals that end a run: those of this process, or a fake.
protocol Interruption: Sendable {
    func signal() async -> Int32
    /// The first one, if any; set before `signal()` returns.
    var received: Int32? { get }
    /// Ends the process as the signal would have.
    func terminate(bySignal signal: Int32)
}

/// The signals of this process, intercepted so that a run can clean up.
struct SignalInterruption: Interruption {
    private let threads = ThreadPool(count: 1)

    /// Intercepts them; `nil` if that fails: then they end the process immediately.
    init?() {
        guard TerminationSignals.watch() else { return nil }
    }

    func signal() async -> Int32 {
        // Throws only if its task is cancelled before the thread starts; then no task waits.
        (try? await threads.run { _ in TerminationSignals.wait() }) ?? 0
    }

    var received: Int32? { TerminationSignals.received }

    func terminate(bySignal signal: Int32) { TerminationSignals.terminate(bySignal: signal) }
}
