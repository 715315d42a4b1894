internal import SpyglassFiles

/// Reads the bytes of an encoded image once, from first to last; the first ones can be inspected beforehand.
///
/// Each read checks for cancellation. Blocks on a file's disk. Not thread-safe; closes the file when released.
final class ByteReader {
    /// The first bytes: all of those in memory, or enough of a file to tell its kind.
    let head: [UInt8]
    private let file: FileDescriptor?
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
            let opened = try Self.open(path)
            do throws(FileError) { head = try opened.bytes(FileKind.bytesNeeded) } catch {
                throw Self.failure("read", error)
            }
            file = consume opened
        }
    }

    func checkCancelled() throws(CodecError) {
        if isCancelled() { throw .cancelled }
    }

    /// Fills part or all of `buffer`; returns 0 only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CodecError) -> Int {
        try checkCancelled()
        var count = 0
        if bytesRead < head.count {
            count = min(head.count - bytesRead, buffer.count)
            head.withUnsafeBytes { bytes in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[bytesRead..<bytesRead + count]))
            }
        } else {
            do throws(FileError) { count = try file?.read(into: buffer, at: bytesRead) ?? 0 } catch {
                throw Self.failure("read", error)
            }
        }
        bytesRead += count
        return count
    }

    /// Opens a regular file; checks before it opens: opening a device may start it.
    private static func open(_ path: String) throws(CodecError) -> FileDescriptor {
        guard !path.isEmpty, !path.containsZero else { throw CodecError(.unreadable, "not a file name") }
        do throws(FileError) {
            let kind = try Folder.working.status(of: path, followingLinks: true).kind
            // A FIFO may replace the file in between: the open file is checked, too.
            if kind == .regular { return try Folder.working.openRegular(path) }
            let name = kind == .pipe ? "FIFO" : "\(kind)"
            throw FileError("openat", name, code: FileError.notRegularFile)
        } catch {
            guard error.code == FileError.notRegularFile else { throw failure("opened", error) }
            throw CodecError(.unreadable, error.path == path ? "not a regular file" : "is a \(error.path), not a file")
        }
    }

    private static func failure(_ verb: String, _ error: FileError) -> CodecError {
        CodecError(.unreadable, "cannot be \(verb): \(error.reason.lowercased())")
    }
}
