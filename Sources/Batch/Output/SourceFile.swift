internal import Glibc
package import SpyglassCodecs

/// A file input that is open for reading.
///
///     let file = try SourceFile(opening: item)
///     let source = try file.hash()
///     let decoded = try decoder.decode(file.image, to: targets)
///
/// Calls block.
package struct SourceFile: ~Copyable {
    let descriptor: Int32
    /// Where it is, for the decoder; good as long as this value lives.
    package let image: EncodedImage
    /// Which file it is, to be told from one that is to be replaced.
    package let identity: FileIdentity
    /// Its length in bytes when it was opened.
    package let byteCount: Int

    /// Opens the file of an item (`open`).
    ///
    /// - Throws: `BatchFailure` of kind `unreadable` where it cannot be opened or is no regular file, `empty` without bytes.
    package init(opening item: BatchItem) throws(BatchFailure) {
        guard case .file(let path) = item.source else {
            throw BatchFailure(.internal, "an address was to be opened as a file")
        }
        guard !path.utf8.contains(0) else { throw BatchFailure(.unreadable, "a path cannot hold a NUL") }
        // A pipe without a writer would keep an open that waits.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        let opened = CString.with(item.pathBytes ?? Array(path.utf8)) { open($0, flags) }
        guard opened >= 0 else { throw BatchFailure(.unreadable, SystemErrorText.last) }
        var status = stat()
        guard fstat(opened, &status) == 0, status.isPlainFile, status.st_size > 0 else {
            close(opened)
            guard status.isPlainFile else { throw BatchFailure(.unreadable, "not a regular file") }
            throw BatchFailure(.empty, "the file is empty")
        }
        descriptor = opened
        // The name that the kernel gives every open file (proc_pid_fd(5)): a name that is not UTF-8 fits in no String.
        image = .file(item.pathBytes == nil ? path : "/proc/self/fd/\(opened)")
        identity = FileIdentity(status)
        byteCount = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// `SourceHash` of its bytes, read through a window.
    ///
    /// - Throws: `BatchFailure` of kind `unreadable`; `cancelled` when `isCancelled` says so.
    package func hash(isCancelled: () -> Bool = { Task.isCancelled }) throws(BatchFailure) -> UInt64 {
        try SourceHash.ofFile(descriptor, isCancelled: isCancelled)
    }
}
