import Glibc
import SpyglassTerminalUI
import SpyglassThreads

/// Where a report goes, line by line: standard output, or a file.
///
/// A line is there once `write` has returned, whatever becomes of the process. Safe to use from any thread.
final class ReportWriter: Sendable {
    private let put: @Sendable (TerminalBytes) throws(TerminalError) -> Void
    /// What messages call it; `nil` is standard output.
    private let path: String?
    /// The file's; -1 for standard output.
    private let descriptor: Int32
    /// One line after the other, and whether a write has failed: then there are no more.
    private let failure = Mutex<(any Error)?>(nil)

    /// A report on standard output.
    init(_ console: Console) {
        put = { (bytes) throws(TerminalError) in try console.print(bytes) }
        path = nil
        descriptor = -1
    }

    /// A report in a file, in place of an older report.
    ///
    /// C: `open`.
    ///
    /// - Throws: `Failure` when it cannot be opened, and for a file that is no report or is one of `inputs`: a slip of the keyboard must
    ///   not cost a picture or a manifest.
    init(path: String, apartFrom inputs: [String] = []) throws(Failure) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o666)
        guard descriptor >= 0 else { throw Self.unusable(path, errno) }
        self.path = path
        let file = StreamWriter(descriptor: descriptor)
        put = { (bytes) throws(TerminalError) in try file.write(bytes) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
        for input in inputs {
            var other = stat()
            guard stat(input, &other) == 0, other.st_dev == status.st_dev, other.st_ino == status.st_ino else {
                continue
            }
            throw .usage("\(path) is the manifest, too; give the report another name")
        }
        var first: UInt8 = 0
        guard pread(descriptor, &first, 1, 0) == 1, first == UInt8(ascii: "{") else {
            throw .usage("\(path) is there and is no report; give the report another name")
        }
        guard ftruncate(descriptor, 0) == 0 else { throw Self.unusable(path, errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes one line, unless an earlier one could not be written.
    ///
    /// - Returns: whether it is there.
    @discardableResult
    func write(_ json: String) -> Bool {
        failure.withLock { failure in
            guard failure == nil else { return false }
            do throws(TerminalError) {
                try put(TerminalBytes(escaped: json + "\n"))
                return true
            } catch {
                failure = path.map { Self.unusable($0, error) } ?? error
                return false
            }
        }
    }

    /// Why lines are missing, if they are.
    var error: (any Error)? { failure.withLock { $0 } }

    private static func unusable(_ path: String, _ number: Int32) -> Failure {
        Failure(.unavailable, "the report \(path) cannot be written: \(String(cString: strerror(number)))")
    }

    private static func unusable(_ path: String, _ error: TerminalError) -> any Error {
        // Otherwise a named pipe whose reader has closed it.
        guard case .writeFailed(let number) = error else { return error }
        return unusable(path, number)
    }
}
