internal import Glibc
package import SpyglassCodecs
package import SpyglassFiles
internal import SpyglassThreads

/// A file input, open for reading; another process may rewrite it at any time.
///
/// Calls block; not thread-safe.
package final class SourceFile {
    private let file: FileDescriptor
    /// Tells whether an output would replace the input.
    package let identity: FileIdentity
    package let byteCount: Int
    /// What was read since the start of the file.
    private var hashed = SourceHash.Stream()
    /// Files below this are read once, into memory, to be hashed and decoded.
    static let wholeLimit = 1 << 20

    /// Throws `unreadable` where the file cannot be opened or is not a regular one, `empty` without bytes.
    ///
    /// `openInput` returns what is open already.
    package init(
        opening item: BatchItem, _ openInput: ([UInt8]) -> FileDescriptor? = { _ in nil }
    ) throws(BatchError) {
        guard case .file(let path) = item.source else {
            throw BatchError(.internal, "a URL cannot be opened as a file")
        }
        let opened = try Self.attempt("cannot open") { () throws(FileError) in
            let path = item.pathBytes ?? Array(path.utf8)
            if item.walkedParts == 0, let file = openInput(path) { return file }
            return try Self.open(path, walkedParts: item.walkedParts)
        }
        let status = try Self.attempt("cannot open") { () throws(FileError) in try opened.status }
        guard status.byteCount > 0 else { throw BatchError(.empty, "the file is empty") }
        identity = status.identity
        byteCount = status.byteCount
        file = opened
    }

    /// Opens what a walk has found below the walk's folder, where no link is followed.
    private static func open(_ path: [UInt8], walkedParts: Int) throws(FileError) -> FileDescriptor {
        let slash = UInt8(ascii: "/")
        let parts = path.split(separator: slash, omittingEmptySubsequences: false).map(Array.init)
        guard walkedParts > 0, let name = parts.last else { return try Folder.working.openRegular(path) }
        let start = Array(parts.dropLast(walkedParts).joined(separator: [slash])) + [slash]
        var folder = try Folder(opening: start)
        for part in parts.suffix(walkedParts).dropLast() { folder = try folder.openFolder(part) }
        return try folder.openRegular(name)
    }

    /// `SourceHash` of the bytes that `read` has returned since the start, and of all after them; throws `unreadable`, `cancelled`.
    package func hash() throws(BatchError) -> UInt64 {
        while true {
            if Cancellation.current.isCancelled { throw .cancelled }
            let bytes = try Self.attempt("cannot read") { () throws(FileError) in
                try file.bytes(SourceHash.window, at: hashed.byteCount)
            }
            bytes.withUnsafeBytes { hashed.add($0) }
            guard bytes.count == SourceHash.window else { return hashed.value }
        }
    }

    /// `ByteSource` of the contents; starts over at offset 0.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(CodecError) -> Int {
        if offset == 0 { hashed = SourceHash.Stream() }
        do throws(FileError) {
            let count = try file.read(into: buffer, at: offset)
            // A decoder that reads bytes again checks that they are the same; only those after them are new.
            let known = hashed.byteCount - offset
            if (0..<count).contains(known) { hashed.add(UnsafeRawBufferPointer(rebasing: buffer[known..<count])) }
            return count
        } catch {
            throw CodecError(.unreadable, "cannot read: \(error.reason)")
        }
    }

    /// All bytes of a file below `wholeLimit`; of another those that tell its format.
    func head() throws(BatchError) -> (bytes: [UInt8], isWhole: Bool) {
        let isSmall = byteCount < Self.wholeLimit
        // One byte more tells whether the file has grown.
        let limit = isSmall ? byteCount + 1 : FileKind.bytesNeeded
        let bytes = try Self.attempt("cannot read") { () throws(FileError) in try file.bytes(limit) }
        return (bytes, isSmall && bytes.count < limit)
    }

    private static func attempt<Value: ~Copyable>(
        _ failure: String, _ body: () throws(FileError) -> Value
    ) throws(BatchError) -> Value {
        do { return try body() } catch { throw BatchError(.unreadable, "\(failure): \(error.reason)") }
    }
}
