import Glibc
import SpyglassFiles

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
        guard let kind = try? FileDescriptor.standardInput.status.kind else { return false }
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

/// A pipe with a name, such as `<(command)` of a shell.
enum NamedPipe {
    static func isPipe(_ name: Argument) -> Bool {
        (try? Folder.working.status(of: name, followingLinks: true).kind) == .pipe
    }

    /// Everything that its writers write; gives up after `timeout` seconds without a byte.
    static func readAll(_ name: Argument, limit: Int, timeout: Int) throws(FileError) -> [UInt8] {
        try Folder.working.open(name).readAll(limit: limit, timeout: timeout)
    }
}
