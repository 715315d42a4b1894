internal import Glibc
internal import SpyglassCaching
internal import SpyglassCodecs
package import SpyglassFetching
package import SpyglassFiles
internal import SpyglassSandbox
internal import SpyglassThreads

/// A file input, open for reading; another process may rewrite it at any time.
///
/// Calls block; not thread-safe.
package final class SourceFile {
    private let file: FileDescriptor
    private let status: FileStatus
    /// The length when it was opened, in bytes.
    package var byteCount: Int { status.byteCount }
    /// Tells whether an output would replace the input.
    package var identity: FileIdentity { status.identity }
    /// The open file, for a decoder.
    package var number: Int32 { file.number }

    /// Opens a file, and reads nothing.
    ///
    /// Throws `unreadable` where it cannot be opened or is not a regular file, `empty`, and `limit` for too many bytes.
    package init(opening item: BatchItem, _ inputs: BatchInputs = BatchInputs()) throws(BatchError) {
        guard case .file(let path) = item.source else {
            throw BatchError(.internal, "a URL cannot be opened as a file")
        }
        let opened = try Self.openInput(item, item.pathBytes ?? Array(path.utf8), inputs)
        let status = try Self.attempt("cannot open") { () throws(FileError) in try opened.status }
        guard status.byteCount > 0 else { throw BatchError(.empty, "empty") }
        do { try inputs.limits.check(fileBytes: status.byteCount) } catch {
            throw BatchError(.limit, "\(error) (raise it with --max-bytes)")
        }
        self.status = status
        file = opened
    }

    private init(_ file: consuming FileDescriptor, _ status: FileStatus) {
        self.file = file
        self.status = status
    }

    /// A copy in memory, which no process can change; throws `changed`, and `unreadable` without memory.
    func sealedCopy() throws(BatchError) -> SourceFile {
        var offset = 0
        let copy = try Self.attempt("cannot copy") { () throws(FileError) in
            let memory = try SharedMemory.sealed { () throws(FileError) in
                let part = try file.bytes(min(SourceHash.window, byteCount - offset), at: offset)
                offset += part.count
                return part
            }
            let status = try memory.status
            return SourceFile(memory, status)
        }
        try checkUnchanged()
        return copy
    }

    private static func openInput(
        _ item: BatchItem, _ path: [UInt8], _ inputs: BatchInputs
    ) throws(BatchError) -> FileDescriptor {
        if item.walkedParts == 0, let file = try inputs.opened(path) { return file }
        return try attempt("cannot open") { () throws(FileError) in try openWalked(path, item.walkedParts) }
    }

    /// Opens what a walk has found below the walk's folder, where no link is followed.
    private static func openWalked(_ path: [UInt8], _ walkedParts: Int) throws(FileError) -> FileDescriptor {
        let slash = UInt8(ascii: "/")
        let parts = path.split(separator: slash, omittingEmptySubsequences: false).map(Array.init)
        guard walkedParts > 0, let name = parts.last else { return try Folder.working.openRegular(path) }
        let start = Array(parts.dropLast(walkedParts).joined(separator: [slash])) + [slash]
        var folder = try Folder(opening: start)
        for part in parts.suffix(walkedParts).dropLast() { folder = try folder.openFolder(part) }
        return try folder.openRegular(name)
    }

    /// `SourceHash` of all bytes; throws `unreadable`, `cancelled`.
    package func hash() throws(BatchError) -> UInt64 {
        var stream = SourceHash.Stream()
        try forEachWindow { bytes in bytes.withUnsafeBytes { stream.add($0) } }
        return stream.value
    }

    /// SHA-256 of all bytes.
    func sha256() throws(BatchError) -> String {
        var hash = SHA256()
        try forEachWindow { hash.add($0) }
        return hash.text
    }

    /// Reads the file in parts of `SourceHash.window` bytes; the last one may be shorter, or empty.
    private func forEachWindow(_ body: ([UInt8]) -> Void) throws(BatchError) {
        var offset = 0
        while true {
            if Cancellation.current.isCancelled { throw .cancelled }
            let bytes = try bytes(SourceHash.window, at: offset)
            body(bytes)
            offset += bytes.count
            guard bytes.count == SourceHash.window else { return }
        }
    }

    /// Throws `changed` if another process has changed the file since it was opened, as far as size and times tell.
    ///
    /// Writing through a mapping may update no time; `ItemWork` copies small files first.
    func checkUnchanged() throws(BatchError) {
        let now = try Self.attempt("cannot read") { () throws(FileError) in try file.status }
        guard (now.byteCount, now.modified, now.changed) == (status.byteCount, status.modified, status.changed) else {
            throw .changed
        }
    }

    func bytes(_ count: Int, at offset: Int = 0) throws(BatchError) -> [UInt8] {
        try Self.attempt("cannot read") { () throws(FileError) in try file.bytes(count, at: offset) }
    }

    private static func attempt<Value: ~Copyable>(
        _ failure: String, _ body: () throws(FileError) -> Value
    ) throws(BatchError) -> Value {
        do { return try body() } catch { throw BatchError(.unreadable, "\(failure): \(error.reason)") }
    }
}

/// XXH64 over windows of 64 KiB, each seeded with the previous hash: no file is read into memory whole.
///
/// Not cryptographic.
package enum SourceHash {
    static let window = 64 << 10

    /// Hashes a URL without keys and signatures, which change from day to day.
    package static func of(_ address: WebAddress) -> UInt64 { of(Array("address \(address.lastingDescription)".utf8)) }

    /// Equal to the hash of a file with these bytes.
    package static func of(_ bytes: [UInt8]) -> UInt64 {
        var stream = Stream()
        bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: max(bytes.count, 1), by: window) {
                stream.add(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + window, bytes.count)]))
            }
        }
        return stream.value
    }

    /// Hashes parts of `window` bytes; only the last may be shorter.
    struct Stream {
        private var byteCount = 0
        private(set) var value: UInt64 = 0

        mutating func add(_ bytes: UnsafeRawBufferPointer) {
            guard !bytes.isEmpty || byteCount == 0 else { return }
            byteCount += bytes.count
            value = XXHash64.hash(bytes, seed: value)
        }
    }
}
