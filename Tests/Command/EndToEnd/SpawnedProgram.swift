import Glibc
import SpyglassTestSupport
import Testing

/// The built program in a process; it is next to the test bundle.
///
///     let outcome = try SpawnedProgram(["show", path], output: .closedPipe).run()
///
/// Blocks until the process has ended.
struct SpawnedProgram {
    /// A standard stream of the process.
    enum Stream {
        /// A file that the test reads afterwards.
        case file
        /// Bytes to read.
        case bytes([UInt8])
        /// A pipe whose other end is closed.
        case closedPipe
        /// Nothing: the descriptor is closed.
        case missing
    }

    /// How the process ended: its exit code, or the signal that ended it.
    struct Outcome: Equatable {
        var code: Int32?
        var signal: Int32?
        var output: [UInt8]
        var errors: String
    }

    var arguments: [String]
    var input: Stream
    var output: Stream
    /// The search for leaks needs what the lock forbids.
    var environment = [
        "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor",
        "ASAN_OPTIONS=detect_leaks=0",
    ]

    /// The path of a terminal for standard error, instead of a file.
    var errorsPath: String?
    /// The path of a terminal for all three streams.
    var terminalPath: String?
    /// Whether that terminal controls the process, so that keys send signals.
    var leadsSession = false

    init(_ arguments: [String], input: Stream = .bytes([]), output: Stream = .file) {
        self.arguments = arguments
        self.input = input
        self.output = output
    }

    /// The path of the program; `nil` if it is not built.
    static let path = ThisProcess.program("spyglass")

    /// Runs it to its end.
    func run() throws -> Outcome { try start().wait() }

    /// Runs a shell script in which `$0` is the program.
    static func shell(_ script: String, _ shell: String = "sh", input: [UInt8] = []) throws -> Outcome {
        try SpawnedProgram(["-c", script, path ?? ""], input: .bytes(input)).start("/bin/\(shell)").wait()
    }

    /// Starts it, or another program.
    func start(_ executable: String? = SpawnedProgram.path) throws -> Running {
        let folder = try TemporaryFolder()
        try folder.write("out", [])
        try folder.write("err", [])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let terminalPath {
            // A session leader is controlled by the first terminal that it opens (tty_ioctl(4)).
            let flags = leadsSession ? O_RDWR : O_RDWR | O_NOCTTY
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminalPath, flags, 0)
        } else if case .bytes(let bytes) = input {
            try folder.write("in", bytes)
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, folder.path("in"), O_RDONLY, 0)
        } else {
            posix_spawn_file_actions_addclose(&actions, STDIN_FILENO)
        }
        var ends: [Int32] = [-1, -1]
        switch output {
        case .file where terminalPath != nil:
            posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
        case .file, .bytes:
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, folder.path("out"), O_WRONLY, 0)
        case .missing: posix_spawn_file_actions_addclose(&actions, STDOUT_FILENO)
        case .closedPipe:
            guard pipe(&ends) == 0 else { throw SpawnError(number: errno) }
            posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        }
        let errors = terminalPath ?? errorsPath ?? folder.path("err")
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_NOCTTY, 0)
        // An inherited end of another test's pipe would keep that pipe open.
        ThisProcess.closeDescriptors(above: STDERR_FILENO, in: &actions)
        if ends[0] >= 0 { close(ends[0]) }
        defer { if ends[1] >= 0 { close(ends[1]) } }

        // The runner's threads block signals, and its parent may ignore some (a shell's `&` does); a process inherits both.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        let session = leadsSession ? Self.newSession : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | session))

        guard let executable else { throw SpawnError(number: ENOENT) }
        let words = ([executable] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for string in words + variables { free(string) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, executable, &actions, &attributes, words, variables)
        guard status == 0 else { throw SpawnError(number: status) }
        return Running(process: process, folder: folder)
    }

    /// The time limit for a process to react.
    static let timeLimit = Duration.seconds(60)

    /// `POSIX_SPAWN_SETSID` (<spawn.h>), which Swift does not see.
    private static let newSession: Int32 = 0x80

    /// A running process.
    struct Running {
        let process: pid_t
        let folder: TemporaryFolder
        func send(_ signal: Int32) { kill(process, signal) }

        /// Whether the process has ended; it is not reaped.
        var hasEnded: Bool {
            var information = siginfo_t()
            return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0
                && information.si_signo == SIGCHLD
        }

        /// Opens a pipe for writing as soon as the process has opened it for reading.
        ///
        /// - Throws: `SpawnError` when the process ends without doing so.
        func openWhenRead(_ pipe: String) throws -> Int32 {
            while true {
                // Without O_NONBLOCK this would wait for a reader (fifo(7)).
                let hasEnded = hasEnded
                let descriptor = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                if descriptor >= 0 { return descriptor }
                guard errno == ENXIO, !hasEnded, !Task.isCancelled else { throw SpawnError(number: errno) }
                poll(nil, 0, 1)
            }
        }

        /// Waits for its end, and kills it after `timeLimit`.
        func wait() throws -> Outcome {
            let deadline = ContinuousClock.now.advanced(by: SpawnedProgram.timeLimit)
            while !hasEnded {
                if ContinuousClock.now > deadline { kill(process, SIGKILL) }
                poll(nil, 0, 1)
            }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            return Outcome(
                code: signal == 0 ? status >> 8 & 0xFF : nil, signal: signal == 0 ? nil : signal,
                output: try folder.read("out"), errors: try folder.text("err"))
        }
    }

    struct SpawnError: Error { let number: Int32 }
}

extension Trait where Self == ConditionTrait {
    /// Enables tests that run the built program.
    static var needsProgram: Self {
        .enabled(if: SpawnedProgram.path != nil, "the program has not been built beside the tests")
    }
}

/// A pseudoterminal; the test has its controlling end (pty(7)).
final class PseudoTerminal: Sendable {
    /// The path for a process.
    let path: String
    private let master: Int32
    /// Open, so that output can be read after a process has ended.
    private let slave: Int32

    struct TerminalError: Error {
        let number = errno
    }

    init() throws {
        var ends: (master: Int32, slave: Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 64)
        guard openpty(&ends.master, &ends.slave, &name, nil, nil) == 0 else { throw TerminalError() }
        (master, slave) = ends
        for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        close(slave)
        close(master)
    }

    /// The output up to and with `text`; waits for it while the process runs, up to the time limit.
    func read(until text: String, from process: SpawnedProgram.Running) -> String {
        let deadline = ContinuousClock.now.advanced(by: SpawnedProgram.timeLimit)
        var bytes: [UInt8] = []
        while !bytes.reversed().starts(with: text.utf8.reversed()) {
            let hasEnded = process.hasEnded || Task.isCancelled || ContinuousClock.now > deadline
            if let byte = next(waiting: 10) {
                bytes.append(byte)
            } else if hasEnded {
                break
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Types text.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// Its settings (termios(3)), as bytes.
    var settings: [UInt8] {
        var settings = termios()
        guard tcgetattr(slave, &settings) == 0 else { return [] }
        return withUnsafeBytes(of: settings) { Array($0) }
    }

    /// The input that no process has read.
    func readTyped() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        var request = pollfd(fd: slave, events: Int16(POLLIN), revents: 0)
        while poll(&request, 1, 0) == 1, Glibc.read(slave, &byte, 1) == 1 { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the system lets a process put input into its own terminal's queue (TIOCSTI, since Linux 6.2 an option).
    static let acceptsInput: Bool = {
        // Older systems have no such file.
        guard let file = fopen("/proc/sys/dev/tty/legacy_tiocsti", "r") else { return true }
        defer { fclose(file) }
        return fgetc(file) == Int32(UInt8(ascii: "1"))
    }()

    /// The output since, of processes that have ended.
    func readRest() -> String {
        var bytes: [UInt8] = []
        while let byte = next(waiting: 0) { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The next byte, if it arrives within a number of milliseconds.
    private func next(waiting milliseconds: Int32) -> UInt8? {
        var byte: UInt8 = 0
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) == 1 && Glibc.read(master, &byte, 1) == 1 ? byte : nil
    }
}
