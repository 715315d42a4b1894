import Glibc

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
