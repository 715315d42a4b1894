internal import SpyglassFiles

/// Reads the bytes of an encoded image once, checking for cancellation; blocks on a file's disk, not thread-safe.
final class ByteReader {
    /// All bytes in memory, or enough of a file to tell its kind.
    let head: [UInt8]
    private let file: RegularFile?
    private let isCancelled: () -> Bool
    private(set) var bytesRead = 0

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

    /// Returns 0 only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CodecError) -> Int {
        try checkCancelled()
        let count: Int
        if bytesRead < head.count {
            count = min(head.count - bytesRead, buffer.count)
            head.withUnsafeBytes { bytes in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[bytesRead..<bytesRead + count]))
            }
        } else {
            count = try file?.read(into: buffer, at: bytesRead) ?? 0
        }
        bytesRead += count
        return count
    }
}

/// An open regular file; other kinds are rejected first: opening a device may start it, opening a FIFO may block.
private final class RegularFile {
    private let descriptor: FileDescriptor

    init(_ path: String) throws(CodecError) {
        guard !path.isEmpty, !path.containsZero else { throw CodecError(.unreadable, "not a file name") }
        try Self.check(
            attempt("cannot open") { () throws(FileError) in
                try Folder.working.status(of: path, followingLinks: true)
            })
        // Another process may replace the file by a FIFO between the calls: opened without waiting, and checked again.
        descriptor = try attempt("cannot open") { () throws(FileError) in try Folder.working.open(path) }
        try Self.check(attempt("cannot read") { () throws(FileError) in try descriptor.status })
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(CodecError) -> Int {
        try attempt("cannot read") { () throws(FileError) in try descriptor.read(into: buffer, at: offset) }
    }

    /// The first `count` bytes, fewer if the file is shorter.
    func bytes(_ count: Int) throws(CodecError) -> [UInt8] {
        try attempt("cannot read") { () throws(FileError) in try descriptor.bytes(count) }
    }

    private static func check(_ status: FileStatus) throws(CodecError) {
        let kind: String
        switch status.kind {
        case .regular: return
        case .folder: kind = "a folder"
        case .pipe: kind = "a FIFO"
        case .socket: kind = "a socket"
        case .link, .device: kind = "a device"
        }
        throw CodecError(.unreadable, "is \(kind), not a file")
    }
}

private func attempt<Result: ~Copyable>(
    _ failure: String, _ body: () throws(FileError) -> Result
) throws(CodecError) -> Result {
    do {
        return try body()
    } catch {
        throw CodecError(.unreadable, "\(failure): \(error.reason.lowercased())")
    }
}
