import Glibc
import SpyglassBench
import SpyglassFiles
import SpyglassTerminalUI

/// Where `bench` saves its report.
///
/// It is checked before the benchmarks and written at the end. A file is replaced as a whole; a pipe, a device and an
/// open descriptor (`/dev/stdout`) are written directly.
final class SavedReportFile: Sendable {
    private let path: String
    private let target: Target

    private enum Target {
        /// A file's resolved path and permissions; the umask applies to those of a new file.
        case file(path: String, permissions: UInt32, isNew: Bool)
        case stream(Stream)
    }

    private final class Stream: Sendable {
        let file: FileDescriptor

        init(_ file: consuming FileDescriptor) { self.file = file }
    }

    /// Checks the path; opens a pipe or a device, which waits for the reader of a named pipe (fifo(7)).
    ///
    /// A file that is not a report is a usage error, unless it is empty.
    init(path: String) throws(Failure) {
        self.path = path
        do throws(FileError) {
            if let number = Self.descriptor(named: path) {
                target = .stream(Stream(try FileDescriptor(duplicating: number)))
                return
            }
            let status: FileStatus
            do throws(FileError) { status = try Folder.working.status(of: path, followingLinks: true) } catch {
                guard error.code == ENOENT else { throw error }
                try Self.checkFolder(of: path)
                target = .file(path: path, permissions: 0o666, isNew: true)
                return
            }
            guard status.isRegular else {
                target = .stream(Stream(try Folder.working.open(path, O_WRONLY)))
                return
            }
            let resolved = Folder.resolved(path)
            try checked("access") { access(resolved, W_OK) }
            try Self.checkFolder(of: resolved)
            target = .file(path: resolved, permissions: status.permissions, isNew: false)
            guard status.byteCount > 0 else { return }
        } catch {
            throw Self.unwritable(path, error)
        }
        try Self.checkContent(path)
    }

    /// Replaces the contents with one line of JSON; after an error a file keeps its contents.
    func write(_ json: String) throws(Failure) {
        let bytes = TerminalBytes(escaped: json + "\n")
        do throws(FileError) {
            switch target {
            case .stream(let stream):
                do throws(TerminalError) { try StreamWriter(descriptor: stream.file.number).write(bytes) } catch {
                    guard case .writeFailed(let number) = error else { throw FileError("write", code: EPIPE) }
                    throw FileError("write", code: number)
                }
            case .file(let file, let permissions, let isNew):
                try Folder.writeFile(file, bytes.raw, permissions: permissions, exact: !isNew)
            }
        } catch {
            throw Self.unwritable(path, error)
        }
    }

    /// The open descriptor that a path names (proc(5)); opening the path again would lose its position.
    private static func descriptor(named path: String) -> Int32? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
                return Int32(path.dropFirst(folder.count))
            }
            return nil
        }
    }

    private static func checkContent(_ path: String) throws(Failure) {
        do throws(Failure) { _ = try SavedReport(path: path) } catch {
            guard error.code == .usage else { throw error }
            throw .usage("cannot save to \(path): file exists and is not a report; choose another name")
        }
    }

    private static func checkFolder(of file: String) throws(FileError) {
        let folder = file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
        try checked("access") { access(folder, W_OK | X_OK) }
    }

    private static func unwritable(_ path: String, _ error: FileError) -> Failure {
        Failure(.unavailable, "cannot save to \(path): \(error.reason)")
    }
}

extension SavedReport {
    /// Maximum bytes of a saved report; one has some 10 KB.
    private static let byteLimit = 4 << 20

    init(path: String) throws(Failure) {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try Folder.working.read(path, limit: Self.byteLimit) } catch {
            throw Failure(error)
        }
        do throws(BenchError) { try self.init(parsing: bytes) } catch { throw .usage("\(path): \(error)") }
    }
}
