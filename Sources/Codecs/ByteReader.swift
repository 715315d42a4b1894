internal import SpyglassFiles
internal import SpyglassSandbox
internal import SpyglassThreads

/// Reads the bytes of an encoded image once, checking for cancellation; blocks on a file's disk, not thread-safe.
final class ByteReader {
    /// All bytes in memory, or enough of a file or a part to tell its kind.
    let head: [UInt8]
    /// Open as long as this reader; `nil` for bytes in memory.
    private let file: OpenFile?
    /// Empty for a file.
    private let memory: [UInt8]
    /// The bytes of the file or the memory that are read.
    private let part: Range<Int>
    let cancellation: Cancellation?
    /// The page that the caller has named with the file, from 0.
    private(set) var page: Int?
    /// Asks `cancellation`; tests count the calls.
    let isCancelled: () -> Bool
    private(set) var bytesRead = 0

    /// Reads the open file `number`, which the caller keeps open, or else `image`; throws `limit` for a file with more bytes
    /// than `limits` allow.
    convenience init(
        _ image: EncodedImage, _ limits: ImageLimits = ImageLimits(), opened number: Int32? = nil,
        _ cancellation: Cancellation? = nil, isCancelled: (() -> Bool)? = nil
    ) throws(CodecError) {
        let file: OpenFile
        switch (number, image) {
        case (let number?, _):
            file = OpenFile(
                try attempt("cannot read") { () throws(FileError) in try FileDescriptor(duplicating: number) })
        case (nil, .bytes(let bytes)):
            self.init(bytes, nil, cancellation, isCancelled)
            return
        case (nil, .file(let path)): file = try regularFile(path, limits)
        case (nil, .localFile(let found)):
            file = try regularFile(found.path, limits) { (status) throws(CodecError) in
                guard found.matches(status) else { throw CodecError(.unreadable, "changed since it was found") }
            }
        }
        self.init(try file.bytes(FileKind.bytesNeeded, at: 0), file, cancellation, isCancelled)
        if case .localFile(let found) = image { page = found.page }
    }

    convenience init(reading descriptor: consuming FileDescriptor) throws(CodecError) {
        let file = OpenFile(descriptor)
        self.init(try file.bytes(FileKind.bytesNeeded, at: 0), file, nil, nil)
    }

    private init(
        _ head: [UInt8], _ file: OpenFile?, _ cancellation: Cancellation?, _ isCancelled: (() -> Bool)?
    ) {
        (self.head, self.file, self.cancellation, part) = (head, file, cancellation, 0..<Int.max)
        memory = file == nil ? head : []
        self.isCancelled = isCancelled ?? { cancellation.isCancelled }
    }

    /// Reads the bytes of another reader from their start.
    init(again other: ByteReader) {
        (head, file, memory, part) = (other.head, other.file, other.memory, other.part)
        (cancellation, isCancelled) = (other.cancellation, other.isCancelled)
    }

    /// Reads a part of another reader's bytes as if it were a file; fewer where that ends.
    ///
    /// Copies the head only.
    init(_ range: Range<Int>, of other: ByteReader) throws(CodecError) {
        head = try other.bytes(min(range.count, FileKind.bytesNeeded), at: range.lowerBound)
        part = other.part.dropFirst(range.lowerBound).prefix(range.count)
        (file, memory) = (other.file, other.memory)
        (cancellation, isCancelled) = (other.cancellation, other.isCancelled)
    }

    func checkCancelled() throws(CodecError) { if isCancelled() { throw .cancelled } }

    /// Returns 0 only at the end.
    ///
    /// The first read ends with the head, wherever the bytes come from: warnings of a damaged JPEG depend on the parts that it
    /// is read in.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CodecError) -> Int {
        try checkCancelled()
        let left = FileKind.bytesNeeded - bytesRead
        let copied = copyHead(from: bytesRead, to: left > 0 ? .init(rebasing: buffer.prefix(left)) : buffer)
        let count = if copied > 0 { copied } else { try readPart(into: buffer, at: bytesRead) }
        bytesRead += count
        return count
    }

    private func copyHead(from offset: Int, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = head.dropFirst(offset).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    /// Reads up to `count` bytes at any offset, independently of `read(into:)`; fewer at the end.
    func bytes(_ count: Int, at offset: Int) throws(CodecError) -> [UInt8] {
        let place = part.dropFirst(offset).prefix(count)
        guard let file else { return Array(memory[place.clamped(to: memory.indices)]) }
        try checkCancelled()
        return try file.bytes(place.count, at: place.lowerBound)
    }

    /// Reads bytes at any offset into a buffer, independently of `read(into:)`; fewer at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(CodecError) -> Int {
        try checkCancelled()
        return try readPart(into: buffer, at: offset)
    }

    private func readPart(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(CodecError) -> Int {
        let place = part.dropFirst(offset).prefix(buffer.count)
        if let file { return try file.read(into: .init(rebasing: buffer.prefix(place.count)), at: place.lowerBound) }
        let bytes = memory[place.clamped(to: memory.indices)]
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func byteCount() throws(CodecError) -> Int {
        guard let file else { return part.clamped(to: memory.indices).count }
        return part.clamped(to: 0..<(try file.status().byteCount)).count
    }

    /// All bytes, if they are in memory, not a part of it, and not more than any worker shares.
    var sharedBytes: [UInt8]? {
        file == nil && part == 0..<Int.max && memory.count <= WorkerConnection.minSharedBytes ? memory : nil
    }

    /// All bytes for another process: the file itself, or a sealed copy.
    func descriptor() throws(CodecError) -> FileDescriptor {
        do throws(FileError) {
            if let file { return try FileDescriptor(duplicating: file.descriptor.number) }
            var parts = [Array(memory[part.clamped(to: memory.indices)])]
            return try SharedMemory.sealed { () throws(FileError) in parts.popLast() ?? [] }
        } catch {
            throw CodecError(.unreadable, "cannot pass it to a worker: \(error.reason)")
        }
    }

    /// The bytes that are copied for a worker: to memory that it maps, and from shared memory to its own.
    func copiedBytes(_ limits: ImageLimits, isShared: Bool) -> Int {
        min(memory.count, max(limits.bodyBytes, 0)) * (isShared && sharedBytes != nil ? 2 : 1)
    }
}

/// Opens a regular file; other kinds are rejected first: opening a device may start it, opening a FIFO may block.
private func regularFile(
    _ path: some FilePath, _ limits: ImageLimits, isExpected: (FileStatus) throws(CodecError) -> Void = { _ in }
) throws(CodecError) -> OpenFile {
    guard !path.shown.isEmpty, !path.containsZero else { throw CodecError(.unreadable, "not a file name") }
    try check(
        attempt("cannot open") { () throws(FileError) in try Folder.working.status(of: path, followingLinks: true) })
    // Another process may replace the file by a FIFO between the calls: opened without waiting, and checked again.
    let file = OpenFile(try attempt("cannot open") { () throws(FileError) in try Folder.working.open(path) })
    let status = try file.status()
    try check(status)
    try isExpected(status)
    try limits.check(fileBytes: status.byteCount)
    return file
}

private final class OpenFile {
    let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    func status() throws(CodecError) -> FileStatus {
        try attempt("cannot read") { () throws(FileError) in try descriptor.status }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(CodecError) -> Int {
        try attempt("cannot read") { () throws(FileError) in try descriptor.read(into: buffer, at: offset) }
    }

    /// Fewer bytes only at the end.
    func bytes(_ count: Int, at offset: Int) throws(CodecError) -> [UInt8] {
        try attempt("cannot read") { () throws(FileError) in try descriptor.bytes(count, at: offset) }
    }
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
    do { return try body() } catch { throw CodecError(.unreadable, "\(failure): \(error.reason)") }
}

/// Reads bytes in order, some kilobytes at a time; not thread-safe.
final class ByteWindow {
    private let input: ByteReader
    private let buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    private static let capacity = 32 << 10

    init(_ input: ByteReader) {
        self.input = input
        buffer = .allocate(byteCount: Self.capacity, alignment: 1)
    }

    deinit { buffer.deallocate() }

    /// The number of bytes taken.
    var offset: Int { input.bytesRead - (end - start) }

    /// Returns false at the end.
    private func fill() throws(CodecError) -> Bool {
        guard start == end else { return true }
        (start, end) = (0, 0)
        end = try input.read(into: buffer)
        return end > 0
    }

    /// The next byte; `nil` at the end.
    func byte() throws(CodecError) -> UInt8? {
        guard try fill() else { return nil }
        defer { start += 1 }
        return buffer[start]
    }

    /// Appends the next bytes, fewer at the end; memory grows with the bytes that are there, not with `count`.
    func append(_ count: Int, to bytes: inout [UInt8]) throws(CodecError) {
        var left = count
        while left > 0, try fill() {
            let part = min(left, end - start)
            bytes += buffer[start..<start + part]
            start += part
            left -= part
        }
    }

    /// The next bytes; `nil` if there are fewer.
    func bytes(_ count: Int) throws(CodecError) -> [UInt8]? {
        var bytes: [UInt8] = []
        try append(count, to: &bytes)
        return bytes.count == count ? bytes : nil
    }

    /// Returns false at the end.
    func skip(_ count: Int) throws(CodecError) -> Bool {
        var left = count
        while left > 0 {
            guard try fill() else { return false }
            let part = min(left, end - start)
            start += part
            left -= part
        }
        return true
    }
}

/// The first bytes of an input, contiguous and never moved, for libraries that need them so.
struct InputPrefix: ~Copyable {
    private let memory: ReservedMemory
    private(set) var count = 0
    private let limits: ImageLimits

    /// `capacity` is at least the number of bytes that are needed; `limits.bodyBytes` bounds it.
    init(capacity: Int = .max, _ limits: ImageLimits) throws(CodecError) {
        // One byte more tells an input that ends at the limit from a longer one.
        let maxBytes = min(max(limits.bodyBytes, 0), Self.maxBytes) + 1
        guard let memory = ReservedMemory(byteCount: min(capacity, maxBytes)) else { throw .outOfMemory(to: "decode") }
        self.memory = memory
        self.limits = limits
    }

    private static let maxBytes = 1 << 40

    var bytes: UnsafePointer<UInt8> { UnsafePointer(memory.base.assumingMemoryBound(to: UInt8.self)) }

    /// Reads up to `wanted` bytes more; returns whether there were any.
    mutating func grow(by wanted: Int, from input: ByteReader) throws(CodecError) -> Bool {
        let end = count + min(wanted, memory.byteCount - count)
        guard end > count else { return false }
        let added = try input.read(into: memory[count..<end])
        count += added
        if count > limits.bodyBytes { throw CodecError(.bodyBytes, "a file of more than \(limits.bodyBytes) bytes") }
        return added > 0
    }

    mutating func readAll(from input: ByteReader) throws(CodecError) {
        while try grow(by: Self.stepBytes, from: input) {}
    }

    /// Forgets the bytes from `end` on.
    mutating func cut(to end: Int) { count = min(end, count) }

    mutating func replace(at offset: Int, with bytes: [UInt8]) {
        precondition(offset <= count - bytes.count, "outside the input")
        memory[offset..<offset + bytes.count].copyBytes(from: bytes)
    }

    /// The check for cancellation between two reads costs little, and a step takes well below a millisecond.
    private static let stepBytes = 1 << 20
}
