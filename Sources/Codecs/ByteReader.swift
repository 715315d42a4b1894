internal import Glibc

/// Reads the bytes of an encoded picture from the first to the last, once; the first ones can be looked at beforehand.
///
/// Whoever wants the picture is asked before each read, so that no work that needs bytes outlives the wish for it.
///
/// Blocks on a file's disk. Not thread-safe; the file is closed when the reader goes.
final class ByteReader {
    /// The first bytes: all that are in memory, or of a file as many as tell its kind.
    let head: [UInt8]
    private let file: RegularFile?
    private let isCancelled: () -> Bool
    /// Bytes that `read` has given.
    private(set) var bytesRead = 0

    /// Opens the picture and reads its first bytes.
    init(_ picture: EncodedImage, isCancelled: @escaping () -> Bool) throws(CodecError) {
        self.isCancelled = isCancelled
        switch picture {
        case .bytes(let bytes):
            head = bytes
            file = nil
        case .file(let path):
            let file = try RegularFile(path)
            head = try file.bytes(FileKind.bytesNeeded)
            self.file = file
        }
    }

    /// Throws when nobody wants the picture any more.
    func checkCancelled() throws(CodecError) {
        if isCancelled() { throw .cancelled }
    }

    /// Fills as much of `buffer` as it can at once; returns 0 only after the last byte, and then always.
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

/// An open regular file (`open`, `read`), closed when it goes.
///
/// Anything else is refused before it is opened: opening a device may set it going, and opening a FIFO may wait for ever.
private final class RegularFile {
    private let descriptor: CInt

    init(_ path: String) throws(CodecError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw CodecError(.unreadable, "not a file name") }
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

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CodecError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR { throw Self.failure("cannot be read") }
        }
    }

    /// The next bytes, `count` of them unless the file ends.
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
