import Glibc
import SpyglassBrowser
import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassSandbox
import SpyglassTerminalUI
import SpyglassThreads

/// Everything outside of the program that a command uses; tests replace it.
struct SystemServices: Sendable {
    typealias TakeScreen =
        @Sendable (_ onEvent: @escaping @Sendable (TerminalSession.Event) -> Void) -> (any FullScreenTerminal)?

    var environment: Environment
    var output: any ByteSink
    var errors: any ByteSink
    var input: any ByteSource
    /// Whether standard error is a terminal, so that progress is visible.
    var errorsAreTerminal: Bool
    /// Whether standard output is a pipe, whose reader may write on the same terminal.
    var outputIsPipe = false
    /// The capabilities of the terminal, for a colour depth that an option sets.
    var terminal: @Sendable (TerminalCapabilities.Finding<ColorDepth>?) -> TerminalCapabilities
    /// Asks the terminal which images it supports, and with `true` its sixteen colours.
    var ask: @Sendable (_ asksPalette: Bool) -> TerminalQuery.Outcome = { _ in .notAsked }
    var device: @Sendable () -> String? = { nil }
    var clock: any Clock<Duration>
    /// Returns the network for some settings and a number of connections; connects with the first fetch.
    var network: @Sendable (Settings, Int?, @escaping FetchEvent.Observer) -> any Transport
    var now: @Sendable () -> WallTime
    var peakMemory: @Sendable () -> Int
    var cpuTime: @Sendable () -> Duration
    /// The folder of shared memory (shm_overview(7)), for a terminal on this machine.
    var sharedMemory: String?
    /// The terminal for a full-screen program; `nil` without a terminal.
    var screen: TakeScreen = { _ in nil }
    /// The controlling terminal, for a full-screen program whose standard output is data.
    var pickScreen: TakeScreen = { _ in nil }
    /// The terminal for a program that needs no keys, so that standard input may be anything.
    var outputScreen: TakeScreen = { _ in nil }
    /// Starts processes that decode images; `nil` where that is impossible.
    var launcher: ProgramLauncher?
    /// Gives up what a command does not need.
    var lock: @Sendable (SandboxUse, _ reading: [any FilePath]) -> Sandbox.Report? = { _, _ in nil }
    /// Intercepts the signals that end a process, for a run that cleans up first; `nil` where that is impossible.
    var interruption: @Sendable () -> (any Interruption)? = { nil }
}

extension SystemServices {
    static var ofProcess: SystemServices {
        let environment = Environment.ofProcess
        // A full-screen program needs a terminal that supports control sequences (terminfo(5), `dumb`).
        let session: TakeScreen = { onEvent in
            let kind = environment["TERM"] ?? ""
            return kind.isEmpty || kind == "dumb" ? nil : TerminalSession(onEvent: onEvent)
        }
        let outputScreen: TakeScreen = { isatty(STDOUT_FILENO) == 1 ? session($0) : nil }
        return SystemServices(
            environment: environment, output: StreamWriter.standardOutput, errors: StreamWriter.standardError,
            input: StandardInput(), errorsAreTerminal: isatty(STDERR_FILENO) == 1,
            outputIsPipe: (try? Folder.working.status(of: "/dev/stdout", followingLinks: true))?.kind == .pipe,
            terminal: { TerminalCapabilities.current(color: $0) },
            ask: { TerminalQuery.ask(asksPalette: $0) { environment[$0] } },
            device: { TerminalSession.name(of: STDOUT_FILENO) },
            clock: ContinuousClock(),
            network: { settings, connections, onEvent in
                CurlTransport(
                    connections: connections, stallTimeout: .seconds(settings.timeout),
                    deadline: .seconds(settings.timeout * Options.timeoutsOfBody), userAgent: settings.userAgent,
                    memory: settings.workMemory, onEvent: onEvent)
            },
            now: WallTime.now, peakMemory: { peakMemory(inStatus: Folder.startOfFile("/proc/self/status")) },
            cpuTime: cpuTime, sharedMemory: "/dev/shm", screen: { isatty(STDIN_FILENO) == 1 ? outputScreen($0) : nil },
            pickScreen: { (try? Folder.working.open("/dev/tty")) == nil ? nil : session($0) },
            outputScreen: outputScreen, launcher: ProgramLauncher(), lock: { Sandbox.lock($0, reading: $1) },
            interruption: { SignalInterruption() })
    }

    /// `CLOCK_PROCESS_CPUTIME_ID` (clock_gettime(2)).
    private static func cpuTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// `VmHWM:     12345 kB` in `/proc/self/status` (proc_pid_status(5)), in bytes; 0 without it.
    private static func peakMemory(inStatus status: String) -> Int {
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let words = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }) ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) << 10 : 0
    }
}

extension Argument {
    /// The kind of the file with this name; `nil` without one.
    var kind: FileStatus.Kind? { try? Folder.working.status(of: self, followingLinks: true).kind }
    /// Whether there is such a name: a link that leads nowhere is meant as a file, not as a word to search for.
    var exists: Bool { (try? Folder.working.status(of: self, followingLinks: false)) != nil }
    var isFile: Bool { kind != nil && kind != .folder }
    /// Whether this is a pipe with a name, such as `<(command)` of a shell.
    var isPipe: Bool { kind == .pipe }
}

/// An output: a standard stream, or memory in a test.
protocol ByteSink: Sendable {
    func write(_ bytes: TerminalBytes) throws(TerminalError)
}

extension StreamWriter: ByteSink {}

/// The input that `-` reads: standard input, or bytes in a test.
protocol ByteSource: Sendable {
    /// Whether a user would have to type the bytes.
    var isTerminal: Bool { get }
    /// Whether a file, a pipe or a socket is connected, so that it is read without being named.
    var isConnected: Bool { get }

    /// Waits up to `milliseconds` for a byte or the end; returns whether there is one.
    func isReady(within milliseconds: Int32) -> Bool

    /// Reads to the end; gives up after `timeout` seconds without a byte, if not `nil`.
    func readAll(limit: Int, timeout: Int?) throws(FileError) -> [UInt8]
}

struct StandardInput: ByteSource {
    var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    var isConnected: Bool {
        let kind = try? FileDescriptor.standardInput.status.kind
        return kind == .regular || kind == .pipe || kind == .socket
    }

    func isReady(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) != 0
    }

    func readAll(limit: Int, timeout: Int?) throws(FileError) -> [UInt8] {
        try FileDescriptor.standardInput.readAll(limit: limit, timeout: timeout)
    }
}

/// A terminal that a program takes over: a real one, or a fake.
protocol FullScreenTerminal: BrowserTerminal {
    func start(_ options: TerminalSession.Options) throws(TerminalError)
    func end()
    func terminate(bySignal signal: Int32)
}

extension TerminalSession: FullScreenTerminal {
    func terminate(bySignal signal: Int32) { Self.terminate(bySignal: signal) }
}

/// The environment variables, looked up on demand: most runs need few.
struct Environment: Sendable {
    private let lookUp: @Sendable (String) -> String?

    static let ofProcess = Environment { name in getenv(name).map { String(cString: $0) } }

    private init(lookUp: @escaping @Sendable (String) -> String?) { self.lookUp = lookUp }

    init(_ variables: [String: String] = [:]) { lookUp = { variables[$0] } }
    subscript(name: String) -> String? { lookUp(name) }
}

/// The signals that end a run: those of this process, or a fake.
protocol Interruption: Sendable {
    func signal() async -> Int32
    /// The first one, if any; set before `signal()` returns.
    var received: Int32? { get }
    /// Ends the process as the signal would have.
    func terminate(bySignal signal: Int32)
}

extension Interruption {
    func onSignal(_ body: @escaping @Sendable () -> Void) {
        Task {
            _ = await signal()
            body()
        }
    }

    func terminateIfReceived() { if let received { terminate(bySignal: received) } }
}

/// The signals of this process, intercepted so that a run can clean up.
struct SignalInterruption: Interruption {
    private let threads = ThreadPool(count: 1)

    /// Fails if the signals cannot be intercepted: then they end the process immediately.
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

/// Starts this program again as a worker.
final class ProgramLauncher: WorkerLauncher {
    private let broker = Mutex<ProcessBroker?>(nil)

    /// Lets another process start workers, so that this one can be locked; call it with one thread.
    func delegate(memoryBytes: Int) {
        let made = try? ProcessBroker(ExecutableLauncher.thisProgram, ExecutableLauncher.arguments(memoryBytes))
        broker.withLock { $0 = made }
    }

    func start(memoryBytes: Int) throws(CodecError) -> WorkerProcess {
        guard let broker = broker.withLock({ $0 }) else {
            return try ExecutableLauncher(path: ExecutableLauncher.thisProgram).start(memoryBytes: memoryBytes)
        }
        do throws(FileError) {
            let (socket, process) = try broker.start()
            return WorkerProcess(socket: socket) {
                broker.end(process).map { WorkerExit(waitStatus: $0) } ?? .unknown
            }
        } catch { throw CodecError(.library, "cannot start a worker: \(error.reason)") }
    }
}
