import Glibc
import SpyglassBench
import SpyglassTerminalUI

/// Where `bench` saves its figures.
///
/// It is looked at before the work starts, so that nobody measures for nothing, and written at the end. A file is replaced as a whole:
/// a run that fails or is interrupted leaves what was there, or nothing (killed in the moment of writing, a `FILE.PID.new`). A pipe, a device and an open descriptor (`/dev/stdout`) are
/// written as they are.
final class SavedReportFile: Sendable {
    private let path: String
    private let target: Target

    private enum Target {
        /// A file's own path, links followed, and the permissions that it gets, of which those of a new file are masked by `umask`.
        case file(path: String, permissions: mode_t, isNew: Bool)
        /// Ours to close.
        case stream(descriptor: Int32)
    }

    /// Looks at what is there.
    ///
    /// C: `stat`, `access`; `open` of a pipe or a device, which waits for the reader of a pipe with a name (fifo(7)).
    ///
    /// - Throws: `Failure` with the exit code 3 when nothing can be written there, and 2 for a file of something else than figures: a
    ///   slip of the keyboard must not cost a picture. An empty file has nothing to lose.
    init(path: String) throws(Failure) {
        self.path = path
        if let number = Self.descriptor(named: path) {
            target = .stream(descriptor: try Self.checked(fcntl(number, F_DUPFD_CLOEXEC, 0), path))
            return
        }
        var status = stat()
        if stat(path, &status) != 0 {
            guard errno == ENOENT else { throw Self.unwritable(path, errno) }
            try Self.checkFolder(of: path, for: path)
            target = .file(path: path, permissions: 0o666, isNew: true)
        } else if status.st_mode & S_IFMT == S_IFREG {
            if status.st_size > 0 { try Self.checkContent(path) }
            let resolved = Self.resolved(path)
            try Self.checked(access(resolved, W_OK), path)
            try Self.checkFolder(of: resolved, for: path)
            target = .file(path: resolved, permissions: status.st_mode & 0o777, isNew: false)
        } else {
            target = .stream(descriptor: try Self.checked(open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY), path))
        }
    }

    deinit { if case .stream(let descriptor) = target { close(descriptor) } }

    /// Puts one line of JSON in place of what was there.
    ///
    /// C: `open`, `write`, `rename`.
    ///
    /// - Throws: `Failure` with the exit code 3; a file has then what it had.
    func write(_ json: String) throws(Failure) {
        let bytes = TerminalBytes(escaped: json + "\n")
        switch target {
        case .stream(let descriptor): try write(bytes, to: descriptor)
        case .file(let file, let permissions, let isNew):
            // No two processes write one sibling.
            let sibling = "\(file).\(getpid()).new"
            unlink(sibling)
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let descriptor = try Self.checked(open(sibling, flags, permissions), path)
            do throws(Failure) {
                defer { close(descriptor) }
                if !isNew { fchmod(descriptor, permissions) }
                try write(bytes, to: descriptor)
                try Self.checked(rename(sibling, file), path)
            } catch {
                unlink(sibling)
                throw error
            }
        }
    }

    private func write(_ bytes: TerminalBytes, to descriptor: Int32) throws(Failure) {
        do throws(TerminalError) { try StreamWriter(descriptor: descriptor).write(bytes) } catch {
            guard case .writeFailed(let number) = error else { throw Self.unwritable(path, EPIPE) }
            throw Self.unwritable(path, number)
        }
    }

    // MARK: Checks

    /// The open descriptor that a path names (proc(5)), which keeps its place in a file where opening it anew would not.
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
            throw .usage("\(path) is there and holds no figures; save them under another name")
        }
    }

    private static func checkFolder(of file: String, for path: String) throws(Failure) {
        let folder = file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
        try checked(access(folder, W_OK | X_OK), path)
    }

    /// Where a path leads in the end.
    private static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    /// What a system call gave, unless it failed.
    @discardableResult
    private static func checked(_ result: Int32, _ path: String) throws(Failure) -> Int32 {
        guard result >= 0 else { throw unwritable(path, errno) }
        return result
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

extension SavedReport {
    /// The largest saved run that is read; one has some 10 KB.
    private static let byteLimit = 4 << 20

    /// The figures of a file.
    ///
    /// - Throws: `Failure` with the exit code 3 when it cannot be read, and 2 when it holds something else.
    init(path: String) throws(Failure) {
        let bytes: [UInt8]
        do throws(ReadError) {
            bytes = try FileReader.readAll(Argument(path), limit: Self.byteLimit)
        } catch {
            throw Failure(error, path)
        }
        do throws(BenchError) { try self.init(parsing: bytes) } catch { throw .usage("\(path): \(error)") }
    }
}
