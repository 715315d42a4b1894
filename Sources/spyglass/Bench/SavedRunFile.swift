import Glibc
import SpyglassBench
import SpyglassTerminalUI

/// A file of figures that `bench` saves.
///
/// It is opened before the work starts, so that nobody measures for nothing, and gets its new content at the end.
final class SavedRunFile {
    private let path: String
    private let descriptor: Int32

    /// Opens the file, or makes it.
    ///
    /// - Throws: `Failure` when that is not possible, and for a file of something else: a slip of the keyboard must not cost a picture.
    init(path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o666)
        guard descriptor >= 0 else { throw Self.unwritable(path, errno) }
        var first: UInt8 = 0
        guard pread(descriptor, &first, 1, 0) != 1 || first == UInt8(ascii: "{") else {
            throw .usage("\(path) is there and holds no figures; save them under another name")
        }
    }

    deinit { close(descriptor) }

    /// Puts one line of JSON in place of what was there.
    func write(_ json: String) throws(Failure) {
        // Of a pipe or a device there is nothing to cut off.
        guard ftruncate(descriptor, 0) == 0 || errno == EINVAL else { throw Self.unwritable(path, errno) }
        do throws(StreamError) {
            try StreamWriter(descriptor: descriptor).write(TerminalBytes(escaped: json + "\n"))
        } catch {
            switch error {
            case .failed(let number): throw Self.unwritable(path, number)
            case .closed: throw Self.unwritable(path, EPIPE)
            }
        }
    }

    private static func unwritable(_ path: String, _ number: Int32) -> Failure {
        Failure(.unavailable, "the figures cannot be saved in \(path): \(String(cString: strerror(number)))")
    }
}

extension Failure {
    /// Why a file that an option names could not be read.
    init(_ error: ReadError, _ path: String) {
        switch error {
        case .tooLarge: self = .usage("\(path): it is too large for what it is to be")
        case .stalled: self.init(.unavailable, "\(path): nothing came")
        case .failed(let reason): self.init(.unavailable, "\(path): \(reason)")
        }
    }
}

extension SavedRun {
    /// The largest saved run that is read; one has some 10 KB.
    private static let byteLimit = 4 << 20

    /// The figures of a file.
    ///
    /// - Throws: `Failure` with the exit code 3 when it cannot be read, and 2 when it holds something else.
    init(path: String) throws(Failure) {
        let bytes: [UInt8]
        do throws(ReadError) {
            bytes = try OrdinaryFile.readAll(Argument(path), limit: Self.byteLimit)
        } catch {
            throw Failure(error, path)
        }
        do throws(BenchError) { try self.init(parsing: bytes) } catch { throw .usage("\(path): \(error)") }
    }
}
