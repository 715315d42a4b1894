import Glibc

/// Reads the bytes of a source from its start to its end, once; the first ones can be looked at beforehand.
///
/// Blocks on a file's disk. Not thread-safe; the file is closed when the reader goes.
final class ByteReader {
    /// Bytes that are read from a file at once: enough that the calls cost nothing, few enough to stay in a core's cache.
    static let windowBytes = 64 * 1024

    /// The first bytes: all that are in memory, or of a file as many as tell its kind.
    let head: [UInt8]
    private let file: RegularFile?
    /// Bytes that `read` has given.
    private(set) var bytesRead = 0

    /// Opens the source and reads its first bytes.
    init(_ source: EncodedSource) throws(DecodeError) {
        switch source {
        case .bytes(let bytes):
            head = bytes
            file = nil
        case .file(let path):
            let file = try RegularFile(path)
            head = try file.bytes(FileKind.bytesNeeded)
            self.file = file
        }
    }

    /// Fills as much of `buffer` as it can at once; returns 0 only at the end of the source, and then always.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(DecodeError) -> Int {
        let count: Int
        if bytesRead < head.count {
            count = min(head.count - bytesRead, buffer.count)
            head.withUnsafeBytes { bytes in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[bytesRead..<bytesRead + count]))
            }
        } else {
            count = try file?.read(into: buffer) ?? 0
        }
        bytesRead += count
        return count
    }
}

/// An open regular file (`open`, `read`), closed when it goes.
///
/// Anything else is refused before it is opened: opening a device may set it going, and opening a FIFO may wait for ever.
private final class RegularFile {
    private let descriptor: CInt

    init(_ path: String) throws(DecodeError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw DecodeError(.unreadable, "not a file name") }
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.failure("cannot be opened") }
        try Self.checkKind(status)
        // Between the two calls somebody may put a FIFO in the file's place: O_NONBLOCK, and another look.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.failure("cannot be opened") }
        guard fstat(descriptor, &status) == 0 else {
            throw Self.failure("cannot be read")
        }
        try Self.checkKind(status)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(DecodeError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR { throw Self.failure("cannot be read") }
        }
    }

    /// The next bytes, `count` of them unless the file ends.
    func bytes(_ count: Int) throws(DecodeError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            var failed: DecodeError?
            let read = bytes.withUnsafeMutableBytes { buffer in
                do throws(DecodeError) {
                    return try self.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                } catch {
                    failed = error
                    return 0
                }
            }
            if let failed { throw failed }
            if read == 0 { break }
            filled += read
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    private static func checkKind(_ status: stat) throws(DecodeError) {
        let kind: String
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: kind = "a folder"
        case S_IFIFO: kind = "a FIFO"
        case S_IFSOCK: kind = "a socket"
        default: kind = "a device"
        }
        throw DecodeError(.unreadable, "is \(kind), not a file")
    }

    private static func failure(_ what: String) -> DecodeError {
        DecodeError(.unreadable, "\(what): \(String(cString: strerror(errno)).lowercased())")
    }
}
