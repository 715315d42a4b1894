import Glibc
import SpyglassFiles

/// What `-` reads: standard input, or bytes in a test.
protocol ByteSource: Sendable {
    /// Whether a user would have to type the bytes.
    var isTerminal: Bool { get }

    func readAll(limit: Int) throws(ReadError) -> [UInt8]
}

enum ReadError: Error, Hashable, Sendable {
    case tooLarge
    /// No byte within the timeout.
    case stalled
    /// The system's error text.
    case failed(String)

    init(_ error: FileError) {
        switch error.code {
        case FileError.tooLarge: self = .tooLarge
        case ETIMEDOUT: self = .stalled
        default: self = .failed(error.reason)
        }
    }
}

struct StandardInput: ByteSource {
    var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    func readAll(limit: Int) throws(ReadError) -> [UInt8] {
        do { return try FileDescriptor.standardInput.readAll(limit: limit) } catch { throw ReadError(error) }
    }
}

/// A pipe with a name, such as `<(command)` of a shell.
enum NamedPipe {
    static func isPipe(_ name: Argument) -> Bool {
        (try? Folder.working.status(of: name, followingLinks: true).kind) == .pipe
    }

    /// Everything that its writers write; gives up after `timeout` seconds without a byte.
    static func readAll(_ name: Argument, limit: Int, timeout: Int) throws(ReadError) -> [UInt8] {
        do { return try Folder.working.open(name).readAll(limit: limit, timeout: timeout) } catch {
            throw ReadError(error)
        }
    }
}

/// Reads regular files into memory.
enum FileReader {
    static func readAll(_ name: Argument, limit: Int) throws(ReadError) -> [UInt8] {
        do { return try Folder.working.read(name, limit: limit) } catch { throw ReadError(error) }
    }
}
