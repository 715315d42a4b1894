internal import Glibc
package import SpyglassCodecs
package import SpyglassFiles

/// A file input that is open for reading.
///
///     let file = try SourceFile(opening: item)
///     let source = try file.hash()
///     let decoded = try decoder.decode(file.image, to: targets)
///
/// Calls block.
package struct SourceFile: ~Copyable {
    private let file: FileDescriptor
    /// What the decoder reads; valid as long as this value lives.
    package let image: EncodedImage
    /// Tells whether an output would replace the input.
    package let identity: FileIdentity
    package let byteCount: Int

    /// Files below this are read once, into memory, to be hashed and decoded.
    static let wholeLimit = 1 << 20

    /// Opens the file of an item.
    ///
    /// - Throws: `BatchError` of kind `unreadable` where it cannot be opened or is not a regular file, `empty` without bytes.
    package init(opening item: BatchItem) throws(BatchError) {
        guard case .file(let path) = item.source else {
            throw BatchError(.internal, "a URL cannot be opened as a file")
        }
        let opened = try Self.attempt { () throws(FileError) in
            try Folder.working.openRegular(item.pathBytes ?? Array(path.utf8))
        }
        let status = try Self.attempt { () throws(FileError) in try opened.status }
        guard status.byteCount > 0 else { throw BatchError(.empty, "the file is empty") }
        identity = status.identity
        byteCount = status.byteCount
        // A name that is not UTF-8 fits in no String: the kernel's name of the open file (proc_pid_fd(5)).
        image = .file(item.pathBytes == nil ? path : "/proc/self/fd/\(opened.number)")
        file = opened
    }

    /// `SourceHash` of the contents, read through a window.
    ///
    /// - Throws: `BatchError` of kind `unreadable`; `cancelled` if `isCancelled` returns true.
    package func hash(isCancelled: () -> Bool = { Task.isCancelled }) throws(BatchError) -> UInt64 {
        try SourceHash.ofFile(file, isCancelled: isCancelled)
    }

    /// All bytes of a file below `wholeLimit`; of another those that tell its format.
    ///
    /// - Returns: the bytes, and whether they are the whole file.
    /// - Throws: `BatchError` of kind `unreadable`.
    func head() throws(BatchError) -> (bytes: [UInt8], isWhole: Bool) {
        let isSmall = byteCount < Self.wholeLimit
        // One byte more tells whether the file has grown.
        let limit = isSmall ? byteCount + 1 : FileKind.bytesNeeded
        let bytes = try Self.attempt { () throws(FileError) in try file.bytes(limit) }
        return (bytes, isSmall && bytes.count < limit)
    }

    private static func attempt<Value: ~Copyable>(
        _ body: () throws(FileError) -> Value
    ) throws(BatchError) -> Value {
        do { return try body() } catch { throw BatchError(.unreadable, error.reason) }
    }
}
