import Glibc
import SpyglassFiles

/// What `-` reads: standard input, or bytes in a test.
protocol ByteSource: Sendable {
    /// Whether a user would have to type the bytes.
    var isTerminal: Bool { get }

    func readAll(limit: Int) throws(FileError) -> [UInt8]
}

struct StandardInput: ByteSource {
    var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    func readAll(limit: Int) throws(FileError) -> [UInt8] {
        try FileDescriptor.standardInput.readAll(limit: limit)
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
