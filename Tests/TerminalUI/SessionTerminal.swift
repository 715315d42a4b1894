import Glibc
import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

/// A pty with `terminal-worker` on it, seen from the terminal's side.
///
/// Waits only for the worker. If an expected event is missing after `patience`, the worker is killed and the test fails.
final class SessionTerminal {
    private static let patience = Duration.seconds(30)
    /// TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), and POSIX_SPAWN_SETSID of spawn.h, which Swift does not import.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430
    private static let newSession: Int32 = 0x80

    private var main: Int32
    /// The program's side, kept open so that its settings can be read after the program ends.
    private let replica: Int32
    private var events: Int32 = -1
    private var commands: Int32 = -1
    private var process: pid_t = 0
    private var unread: [UInt8] = []
    private var lines: [String] = []
    private var hasExited = false
    private let settings: [UInt8]

    /// All output of the program.
    private(set) var shown: [UInt8] = []
    /// Whether the terminal reads the program's output.
    private(set) var isReading = true

    /// Starts the worker, and waits until it has drawn its first frame.
    static func drained(_ words: String...) throws -> SessionTerminal {
        let terminal = try SessionTerminal(words)
        try terminal.event("drained")
        return terminal
    }

    convenience init(_ words: String...) throws { try self.init(words) }

    init(_ words: [String]) throws {
        main = Self.high(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK))
        var (lock, number): (Int32, Int32) = (0, 0)
        try #require(ioctl(main, Self.setLock, &lock) == 0 && ioctl(main, Self.getNumber, &number) == 0)
        let name = "/dev/pts/\(number)"
        replica = Self.high(open(name, O_RDWR | O_NOCTTY | O_NONBLOCK))
        try #require(replica >= 0)
        settings = Self.settings(of: replica)
        resize(columns: 80, rows: 24)
        try spawn(words, on: name)
    }

    deinit {
        if !hasExited {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        for descriptor in [main, replica, events, commands] { close(descriptor) }
    }

    // MARK: Actions

    func command(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        bytes.withUnsafeBytes { _ = write(commands, $0.baseAddress, $0.count) }
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        bytes.withUnsafeBytes { _ = write(main, $0.baseAddress, $0.count) }
    }

    /// Sends a signal to the foreground process group.
    func signal(_ number: Int32) {
        kill(-tcgetpgrp(main), number)
    }

    /// Closes the terminal, as a window.
    func hangUp() {
        close(main)
        main = -1
    }

    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(main, UInt(TIOCSWINSZ), &size)
    }

    /// Waits for a line of the worker, and drops the lines before it.
    @discardableResult
    func event(_ line: String) throws -> String {
        try event { $0 == line }
    }

    @discardableResult
    func event(_ isWanted: (String) -> Bool) throws -> String {
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        while true {
            while !lines.isEmpty {
                let line = lines.removeFirst()
                if isWanted(line) { return line }
            }
            try #require(turn(), "the worker ended, having shown \(text.debugDescription)")
            try #require(ContinuousClock.now < deadline, "no event, and shown is \(text.debugDescription)")
        }
    }

    /// Waits until the output contains a text, from a position on.
    func show(_ wanted: String, after start: Int = 0) throws {
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        while !String(decoding: shown[start...], as: UTF8.self).contains(wanted) {
            try #require(turn(), "the worker ended, having shown \(text.debugDescription)")
            try #require(ContinuousClock.now < deadline, "not shown in \(text.debugDescription)")
        }
    }

    /// Stops reading, and waits until the terminal is full.
    func fill() throws {
        isReading = false
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        // Polls: the kernel frees space without waking writers when it moves bytes to the reader's side, and there is none for a
        // moment while another process writes.
        var refusals = 0
        while refusals < 10 {
            var mark = UInt8(ascii: "~")
            refusals = write(replica, &mark, 1) < 0 ? refusals + 1 : 0
            poll(nil, 0, 1)
            try #require(ContinuousClock.now < deadline, "it takes everything")
        }
    }

    func empty() { isReading = true }

    /// Reads the worker's output so far.
    func look() { readTerminal() }

    /// Waits for the worker to end, reads its last output, and returns its status (wait(2)).
    func end() throws -> Int32 {
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        while turn() { try #require(ContinuousClock.now < deadline, "it does not end") }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        hasExited = true
        readTerminal()
        return status
    }

    /// Ends the session and the worker, and returns its status.
    @discardableResult
    func leave() throws -> Int32 {
        command("end")
        try event("over")
        command("exit")
        return try end()
    }

    // MARK: State

    var text: String { String(decoding: shown, as: UTF8.self) }
    /// Whether the settings are restored.
    var isAsBefore: Bool { Self.settings(of: replica) == settings }

    /// The number of bytes of unread input.
    var waitingInput: Int32 {
        var count: Int32 = 0
        var settings = termios()
        tcgetattr(replica, &settings)
        // In canonical mode an incomplete line is not counted.
        settings.c_lflag &= ~UInt32(ICANON)
        tcsetattr(replica, TCSANOW, &settings)
        // `poll` makes the kernel move typed input.
        var request = pollfd(fd: replica, events: Int16(POLLIN), revents: 0)
        poll(&request, 1, 0)
        _ = ioctl(replica, UInt(FIONREAD), &count)
        return count
    }

    private static func settings(of descriptor: Int32) -> [UInt8] {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return [] }
        return withUnsafeBytes(of: settings) { Array($0) }
    }

    // MARK: Internals

    /// Waits for any event; `false` if the worker has closed its events.
    private func turn() -> Bool {
        var requests = [
            pollfd(fd: events, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isReading ? main : -1, events: Int16(POLLIN), revents: 0),
        ]
        poll(&requests, 2, Int32(Self.patience / .milliseconds(1)))
        if requests[1].revents != 0 { readTerminal() }
        guard requests[0].revents != 0 else { return true }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(events, &buffer, buffer.count)
        guard count > 0 else { return false }
        unread += buffer[..<count]
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: unread[..<end], as: UTF8.self))
            unread.removeSubrange(...end)
        }
        return true
    }

    private func readTerminal() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(main, &buffer, buffer.count)
            guard count > 0 else { return }
            shown += buffer[..<count]
        }
    }

    private func spawn(_ words: [String], on name: String) throws {
        var (eventEnds, commandEnds): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        try #require(pipe(&eventEnds) == 0 && pipe(&commandEnds) == 0)
        eventEnds = eventEnds.map(Self.high)
        commandEnds = commandEnds.map(Self.high)
        (events, commands) = (eventEnds[0], commandEnds[1])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that a session leader opens is its controlling one.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, name, O_RDWR, 0)
        for (source, target) in [(STDIN_FILENO, STDOUT_FILENO), (STDIN_FILENO, STDERR_FILENO)] {
            posix_spawn_file_actions_adddup2(&actions, source, target)
        }
        posix_spawn_file_actions_adddup2(&actions, eventEnds[1], 3)
        posix_spawn_file_actions_adddup2(&actions, commandEnds[0], 4)
        // An inherited pipe end of another test would keep that pipe open.
        ThisProcess.closeDescriptors(above: 4, in: &actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        let flags = Self.newSession | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = (["terminal-worker"] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        // Swift's backtracer would prompt on the terminal.
        var variables = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
        defer { for variable in variables { free(variable) } }
        let status = posix_spawn(&process, try Self.worker(), &actions, &attributes, &arguments, &variables)
        close(eventEnds[1])
        close(commandEnds[0])
        try #require(status == 0, "terminal-worker is not there: \(String(cString: strerror(status)))")
    }

    /// The worker is next to the tests.
    private static func worker() throws -> String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        try #require(count > 0)
        let folders = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "/").dropLast()
        return "/" + (folders + ["terminal-worker"]).joined(separator: "/")
    }

    /// Above the worker's descriptors, and closed in other tests' processes.
    private static func high(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0 else { return descriptor }
        defer { close(descriptor) }
        return fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
    }
}

/// The modes of a terminal after output of `TerminalSession`.
struct SessionModes: Hashable {
    /// Private modes that differ from their defaults: off, except wrapping (7) and the cursor (25).
    private(set) var changed: Set<Int> = []
    /// The depth of kitty's flags on the alternate screen.
    private(set) var keyboardStack = 0

    private static let onAtFirst: Set<Int> = [7, 25]

    init(after bytes: [UInt8]) {
        var rest = bytes[...]
        while let escape = rest.firstIndex(of: 0x1B) {
            rest = rest[escape...].dropFirst()
            guard rest.first == UInt8(ascii: "[") else { continue }
            rest = rest.dropFirst()
            let body = rest.prefix { $0 < 0x40 }
            guard let final = rest.dropFirst(body.count).first else { return }
            rest = rest.dropFirst(body.count + 1)
            take(String(decoding: body, as: UTF8.self), final)
        }
    }

    private mutating func take(_ body: String, _ final: UInt8) {
        switch (body.first, final) {
        case ("?", UInt8(ascii: "h")), ("?", UInt8(ascii: "l")):
            guard let mode = Int(body.dropFirst()) else { return }
            let isOn = final == UInt8(ascii: "h")
            if isOn != Self.onAtFirst.contains(mode) { changed.insert(mode) } else { changed.remove(mode) }
            if mode == 1049, !isOn, keyboardStack > 0 { keyboardStack = .max }  // lost on the other screen
        case (">", UInt8(ascii: "u")): keyboardStack += 1
        case ("<", UInt8(ascii: "u")): keyboardStack = max(0, keyboardStack - 1)
        default: break
        }
    }

    static let untouched = SessionModes(after: [])
}
