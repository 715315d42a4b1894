import Glibc
import SpyglassFiles
import SpyglassJSON
import SpyglassTerminalUI
import SpyglassThreads

/// Writes a report line by line to standard output or a file.
///
/// A line is complete once `write` has returned, also if the process is killed. Safe to use from any thread.
final class ReportWriter: Sendable {
    private let put: @Sendable (TerminalBytes) throws(TerminalError) -> Void
    /// For messages; `nil` is standard output.
    private let path: String?
    private let file: FileDescriptor?
    /// Serialises lines, and holds the first error: no line follows it.
    private let failure = Mutex<(any Error)?>(nil)

    init(_ console: Console) {
        put = { (bytes) throws(TerminalError) in try console.print(bytes) }
        path = nil
        file = nil
    }

    /// A report in a file; replaces only an older report, never one of `inputs`.
    init(path: String, apartFrom inputs: [String] = []) throws(Failure) {
        self.path = path
        let file = try Self.open(path, apartFrom: inputs)
        let writer = StreamWriter(descriptor: file.number)
        put = { (bytes) throws(TerminalError) in try writer.write(bytes) }
        self.file = consume file
    }

    private static func open(_ path: String, apartFrom inputs: [String]) throws(Failure) -> FileDescriptor {
        func attempt<Value: ~Copyable>(_ body: () throws(FileError) -> Value) throws(Failure) -> Value {
            do { return try body() } catch {
                guard error.code == ELOOP else { throw unusable(path, error.code) }
                throw .usage("cannot write report \(path): links are not followed; name the file itself")
            }
        }
        let file = try attempt { () throws(FileError) in
            // The system's links, such as /dev/stdout, lead to what is open already.
            let isStream = ["/dev/std", "/dev/fd/", "/proc/self/fd/"].contains { path.hasPrefix($0) }
            return try Folder.working.open(
                path, isStream ? [.readAndWrite, .create] : [.readAndWrite, .create, .refusingLinks])
        }
        let status = try attempt { () throws(FileError) in try file.status }
        guard status.isRegular, status.byteCount > 0 else { return file }
        for input in inputs
        where (try? Folder.working.status(of: input, followingLinks: true).identity) == status.identity {
            throw .usage("cannot write report \(path): it is the manifest; choose another name")
        }
        // The first line of a report is shorter: an id has at most 4 KiB, a source rarely more.
        guard let head = try? file.bytes(256 << 10), isReport(head) else {
            throw .usage("cannot write report \(path): file exists and is not a report; choose another name")
        }
        try attempt { () throws(FileError) in try file.truncate(to: 0) }
        return file
    }

    /// Whether the first line is one that `ItemReport` or `BatchSummary` writes; a manifest has an id and a source, too.
    private static func isReport(_ head: [UInt8]) -> Bool {
        guard let line = head.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first,
            let value = try? JSONValue(parsing: Array(line)), case .object(let members) = value
        else { return false }
        if case .object(let counts)? = value["summary"] { return counts.first?.name == "ok" }
        return members.map(\.name).starts(with: ["id", "src", "status", "out"])
    }

    /// Writes one line, unless an earlier one failed; returns whether it was written.
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

    var error: (any Error)? { failure.withLock { $0 } }

    private static func unusable(_ path: String, _ number: Int32) -> Failure {
        Failure(.unavailable, "cannot write report \(path): \(FileError("write", code: number).reason)")
    }

    private static func unusable(_ path: String, _ error: TerminalError) -> any Error {
        // Otherwise a named pipe whose reader has closed it.
        guard case .writeFailed(let number) = error else { return error }
        return unusable(path, number)
    }
}
