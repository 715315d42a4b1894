internal import Glibc

/// Reads the bytes of an encoded image once, from first to last; the first ones can be inspected beforehand.
///
/// Each read checks for cancellation. Blocks on a file's disk. Not thread-safe; closes the file when released.
final class ByteReader {
    /// The first bytes: all of those in memory, or enough of a file to tell its kind.
    let head: [UInt8]
    private let file: RegularFile?
    private let isCancelled: () -> Bool
    /// Bytes that `read` has returned.
    private(set) var bytesRead = 0

    /// Opens the image and reads its first bytes.
    init(_ image: EncodedImage, isCancelled: @escaping () -> Bool) throws(CodecError) {
        self.isCancelled = isCancelled
        switch image {
        case .bytes(let bytes):
            head = bytes
            file = nil
        case .file(let path):
            let file = try RegularFile(path)
            head = try file.bytes(FileKind.bytesNeeded)
            self.file = file
        }
    }

    func checkCancelled() throws(CodecError) {
        if isCancelled() { throw .cancelled }
    }

    /// Fills part or all of `buffer`; returns 0 only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CodecError) -> Int {
        try checkCancelled()
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

/// An open regular file (`open`, `read`), closed when released.
///
/// Other kinds are rejected before they are opened: opening a device may start it, opening a FIFO may block for ever.
private final class RegularFile {
    private let descriptor: CInt

    init(_ path: String) throws(CodecError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw CodecError(.unreadable, "not a file name") }
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.failure("cannot be opened") }
        try Self.checkKind(status)
        // O_NONBLOCK and a second check: another process may replace the file by a FIFO between the calls.
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

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CodecError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR { throw Self.failure("cannot be read") }
        }
    }

    /// Reads `count` bytes, or fewer at the end of the file.
    func bytes(_ count: Int) throws(CodecError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            var failed: CodecError?
            let read = bytes.withUnsafeMutableBytes { buffer in
                do throws(CodecError) {
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

    private static func checkKind(_ status: stat) throws(CodecError) {
        let kind: String
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: kind = "a folder"
        case S_IFIFO: kind = "a FIFO"
        case S_IFSOCK: kind = "a socket"
        default: kind = "a device"
        }
        throw CodecError(.unreadable, "is \(kind), not a file")
    }

    private static func failure(_ what: String) -> CodecError {
        CodecError(.unreadable, "\(what): \(String(cString: strerror(errno)).lowercased())")
    }
}
