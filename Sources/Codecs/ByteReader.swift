internal import SpyglassFiles
internal import SpyglassSandbox
internal import SpyglassThreads

/// Fills a buffer from an offset, with fewer bytes only at the end.
typealias ByteSource = (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) throws(CodecError) -> Int

/// Reads the bytes of an encoded image once, checking for cancellation; blocks on a file's disk, not thread-safe.
final class ByteReader {
    /// All bytes in memory, or enough of a file to tell its kind.
    let head: [UInt8]
    private let source: ByteSource?
    /// The descriptor of a file, open as long as this reader.
    private var number: Int32?
    let cancellation: Cancellation?
    /// Asks `cancellation`; tests count the calls.
    let isCancelled: () -> Bool
    private(set) var bytesRead = 0

    /// Throws `limit` for a file with more bytes than `limits` allow.
    convenience init(
        _ image: EncodedImage, _ limits: ImageLimits = ImageLimits(), _ cancellation: Cancellation? = nil,
        isCancelled: (() -> Bool)? = nil
    ) throws(CodecError) {
        switch image {
        case .bytes(let bytes): self.init(bytes, nil, cancellation, isCancelled)
        case .file(let path): try self.init(regularFile(path, limits), cancellation, isCancelled)
        case .localFile(let file):
            try self.init(
                regularFile(file.path, limits) { (status) throws(CodecError) in
                    guard file.matches(status) else { throw CodecError(.unreadable, "changed since it was found") }
                }, cancellation, isCancelled)
        }
    }

    /// Reads an open file, which the caller keeps open, or `image` without one.
    convenience init(
        _ image: EncodedImage, _ limits: ImageLimits, opened number: Int32?, _ cancellation: Cancellation?
    ) throws(CodecError) {
        guard let number else {
            try self.init(image, limits, cancellation)
            return
        }
        let file: FileDescriptor
        do throws(FileError) { file = try FileDescriptor(duplicating: number) } catch {
            throw CodecError(.unreadable, "cannot read: \(error.reason)")
        }
        try self.init(reading: file, cancellation)
    }

    /// Reads an open file.
    convenience init(reading file: consuming FileDescriptor, _ cancellation: Cancellation? = nil) throws(CodecError) {
        let number = file.number
        try self.init((source: byteSource(of: file), number: number), cancellation, nil)
    }

    private convenience init(
        _ file: (source: ByteSource, number: Int32), _ cancellation: Cancellation?, _ isCancelled: (() -> Bool)?
    ) throws(CodecError) {
        try self.init(reading: file.source, cancellation, isCancelled: isCancelled)
        number = file.number
    }

    convenience init(
        reading source: @escaping ByteSource, _ cancellation: Cancellation? = nil, isCancelled: (() -> Bool)? = nil
    ) throws(CodecError) {
        let head = UnsafeMutableRawBufferPointer.allocate(byteCount: FileKind.bytesNeeded, alignment: 1)
        defer { head.deallocate() }
        let count = try source(head, 0)
        self.init(Array(head[..<count]), source, cancellation, isCancelled)
    }

    private init(
        _ head: [UInt8], _ source: ByteSource?, _ cancellation: Cancellation?, _ isCancelled: (() -> Bool)?
    ) {
        self.head = head
        self.source = source
        self.cancellation = cancellation
        self.isCancelled = isCancelled ?? { cancellation.isCancelled }
    }

    /// Reads the bytes of another reader from their start.
    init(again other: ByteReader) {
        (head, source) = (other.head, other.source)
        (cancellation, isCancelled) = (other.cancellation, other.isCancelled)
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
            count = try source?(buffer, bytesRead) ?? 0
        }
        bytesRead += count
        return count
    }

    /// Reads up to `count` bytes at any offset, independently of `read(into:)`; fewer at the end.
    func bytes(_ count: Int, at offset: Int) throws(CodecError) -> [UInt8] {
        guard let source else { return Array(head.dropFirst(offset).prefix(count)) }
        try checkCancelled()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { buffer.deallocate() }
        return Array(buffer[..<(try source(buffer, offset))])
    }

    /// Reads bytes at any offset into a buffer, independently of `read(into:)`; fewer at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(CodecError) -> Int {
        try checkCancelled()
        if let source { return try source(buffer, offset) }
        let count = min(max(head.count - offset, 0), buffer.count)
        guard count > 0 else { return 0 }
        head.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
        }
        return count
    }

    /// The number of bytes; searches for a file's end in some tens of reads.
    func byteCount() throws(CodecError) -> Int {
        guard source != nil else { return head.count }
        guard try !bytes(1, at: 0).isEmpty else { return 0 }
        var (there, beyond) = (0, FileKind.bytesNeeded)
        while beyond < 1 << 48, try !bytes(1, at: beyond).isEmpty { (there, beyond) = (beyond, 2 * beyond) }
        while beyond - there > 1 {
            let middle = (there + beyond) / 2
            if try bytes(1, at: middle).isEmpty { beyond = middle } else { there = middle }
        }
        return beyond
    }

    /// All bytes for another process: the file itself, or a sealed copy of at most `limit` bytes.
    ///
    /// A source is copied, so that exactly the bytes it returned are decoded.
    func descriptor(limit: Int) throws(CodecError) -> FileDescriptor {
        var copied = 0
        var failure: CodecError?
        let copy: FileDescriptor
        do throws(FileError) {
            if let number { return try FileDescriptor(duplicating: number) }
            copy = try SharedMemory.sealed { () throws(FileError) in
                do throws(CodecError) {
                    let part = try bytes(Self.copiedAtATime, at: copied)
                    copied += part.count
                    guard copied > limit, source != nil else { return part }
                    failure = CodecError(.bodyBytes, "more than \(limit) bytes")
                } catch { failure = error }
                return []
            }
        } catch {
            throw CodecError(.unreadable, "cannot pass it to a worker: \(error.reason)")
        }
        if let failure { throw failure }
        return copy
    }

    /// The bytes that `descriptor` copies; 0 if the input fails, since reading it will fail too.
    func copiedBytes(_ limits: ImageLimits) -> Int {
        guard number == nil else { return 0 }
        return min((try? byteCount()) ?? 0, max(limits.bodyBytes, 0))
    }

    private static let copiedAtATime = 1 << 20
}

/// Opens a regular file; other kinds are rejected first: opening a device may start it, opening a FIFO may block.
private func regularFile(
    _ path: some FilePath, _ limits: ImageLimits, isExpected: (FileStatus) throws(CodecError) -> Void = { _ in }
) throws(CodecError) -> (source: ByteSource, number: Int32) {
    guard !path.shown.isEmpty, !path.containsZero else { throw CodecError(.unreadable, "not a file name") }
    try check(
        attempt("cannot open") { () throws(FileError) in try Folder.working.status(of: path, followingLinks: true) })
    // Another process may replace the file by a FIFO between the calls: opened without waiting, and checked again.
    let file = try attempt("cannot open") { () throws(FileError) in try Folder.working.open(path) }
    let status = try attempt("cannot read") { () throws(FileError) in try file.status }
    try check(status)
    try isExpected(status)
    try limits.check(fileBytes: status.byteCount)
    let number = file.number
    return (byteSource(of: file), number)
}

private func byteSource(of file: consuming FileDescriptor) -> ByteSource {
    let file = OpenFile(file)
    return { (buffer, offset) throws(CodecError) in
        try attempt("cannot read") { () throws(FileError) in try file.descriptor.read(into: buffer, at: offset) }
    }
}

private final class OpenFile {
    let descriptor: FileDescriptor
    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
}

private func check(_ status: FileStatus) throws(CodecError) {
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

private func attempt<Result: ~Copyable>(
    _ failure: String, _ body: () throws(FileError) -> Result
) throws(CodecError) -> Result {
    do {
        return try body()
    } catch {
        throw CodecError(.unreadable, "\(failure): \(error.reason)")
    }
}
