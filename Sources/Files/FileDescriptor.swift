package import Glibc

/// How a file is opened (`openat`); to read it, unless an option says otherwise.
package struct OpenOptions: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let write = OpenOptions(rawValue: O_WRONLY)
    package static let readAndWrite = OpenOptions(rawValue: O_RDWR)
    package static let append = OpenOptions(rawValue: O_APPEND)
    package static let create = OpenOptions(rawValue: O_CREAT)
    /// Fails if the file exists.
    package static let exclusive = OpenOptions(rawValue: O_EXCL)
    package static let folder = OpenOptions(rawValue: O_DIRECTORY)
    /// Waits for no other end of a pipe.
    package static let nonBlocking = OpenOptions(rawValue: O_NONBLOCK)
    package static let refusingLinks = OpenOptions(rawValue: O_NOFOLLOW)
}

/// An open file, closed (`close`) at the end of its life; all calls block.
package struct FileDescriptor: ~Copyable, Sendable {
    package let number: Int32

    package static let standardInput = FileDescriptor(owning: STDIN_FILENO)

    package init(owning number: Int32) { self.number = number }

    /// A second descriptor of an open file (`F_DUPFD_CLOEXEC`).
    package init(duplicating number: Int32) throws(FileError) {
        self.number = try checked("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 0) }
    }

    deinit { if number >= 0 { Glibc.close(number) } }

    /// Closes the file and reports errors that only closing detects: lost bytes on NFS and FUSE, and quotas.
    package consuming func close(with call: (Int32) -> Int32) throws(FileError) {
        let number = number
        discard self
        guard call(number) == 0 else { throw FileError("close") }
    }

    package consuming func detach() { discard self }

    package var status: FileStatus {
        get throws(FileError) {
            var status = stat()
            try checked("fstat") { fstat(number, &status) }
            return FileStatus(status)
        }
    }

    /// Reads once at the current position; returns 0 at the end of the file.
    package func read(into buffer: inout [UInt8]) throws(FileError) -> Int {
        try checked("read") { buffer.withUnsafeMutableBytes { Glibc.read(number, $0.baseAddress, $0.count) } }
    }

    /// Reads until the buffer is full or the file ends (`pread`); returns the number of bytes.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        var filled = 0
        while filled < buffer.count, let base = buffer.baseAddress {
            let count = try checked("pread") { pread(number, base + filled, buffer.count - filled, offset + filled) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// The bytes from `offset`, fewer where the file ends; `start` precedes them.
    package func bytes(
        _ count: Int, at offset: Int = 0, after start: ArraySlice<UInt8> = []
    ) throws(FileError) -> [UInt8] {
        guard count > 0 else { return [UInt8](start) }
        try Self.checkRoom(for: start.count + count)
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: start.count + count) { buffer, initialized in
            _ = buffer.update(fromContentsOf: start)
            initialized = start.count
            do throws(FileError) {
                let rest = UnsafeMutableRawBufferPointer(buffer)[start.count..<start.count + count]
                initialized += try read(into: UnsafeMutableRawBufferPointer(rebasing: rest), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    private static func checkRoom(for bytes: Int) throws(FileError) {
        guard SystemMemory.hasRoom(for: bytes) else { throw FileError("mmap", code: ENOMEM) }
    }

    /// Throws `tooLarge` above `limit` bytes, `ETIMEDOUT` after `timeout` seconds without a byte.
    package func readAll(limit: Int, timeout: Int? = nil) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        // What a Linux pipe holds (pipe(7)).
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            if timeout != nil { try waitForBytes(timeout) }
            let count: Int
            do throws(FileError) {
                count = try read(into: &chunk)
            } catch  where error.code == EAGAIN {
                try waitForBytes(timeout)
                continue
            }
            guard count > 0 else { return bytes }
            guard count <= limit - bytes.count else { throw FileError("read", cause: .tooLarge) }
            if bytes.count + count > bytes.capacity { try Self.checkRoom(for: 2 * bytes.count) }
            bytes += chunk[..<count]
        }
    }

    private func waitForBytes(_ timeout: Int?) throws(FileError) {
        var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        let milliseconds = timeout.map { Int32(clamping: $0 * 1000) } ?? -1
        let count = try checked("poll") { poll(&request, 1, milliseconds) }
        if count == 0 { throw FileError("poll", code: ETIMEDOUT) }
    }

    /// `writev`; tests pass a call that fails.
    package typealias WriteCall = @Sendable (Int32, UnsafePointer<iovec>, Int32) -> Int
    package static let writeCall: WriteCall = { writev($0, $1, $2) }

    /// Writes all bytes, usually in one call; throws `ENOSPC` where the system takes none without an error.
    package func write(
        _ bytes: [UInt8], _ more: [UInt8] = [], with call: WriteCall = FileDescriptor.writeCall
    ) throws(FileError) {
        let total = bytes.count + more.count
        var written = 0
        while written < total {
            let count = try checked("writev") {
                bytes.withUnsafeBytes { first in
                    more.withUnsafeBytes { second in
                        // `writev` only reads the buffers.
                        let parts = [first.dropFirst(written), second.dropFirst(max(0, written - first.count))]
                            .filter { !$0.isEmpty }.map { UnsafeMutableRawBufferPointer(mutating: .init(rebasing: $0)) }
                            .map { iovec(iov_base: $0.baseAddress, iov_len: $0.count) }
                        return call(number, parts, Int32(parts.count))
                    }
                }
            }
            guard count > 0 else { throw FileError("writev", code: ENOSPC) }
            written += count
        }
    }

    /// In one call (`pwrite`).
    package func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        let count = try checked("pwrite") { pwrite(number, bytes, bytes.count, offset) }
        guard count == bytes.count else { throw FileError("pwrite", code: ENOSPC) }
    }

    package func truncate(to byteCount: Int) throws(FileError) {
        try checked("ftruncate") { ftruncate(number, byteCount) }
    }

    /// Removes the contents and continues at the start (`ftruncate`, `lseek`).
    package func empty() throws(FileError) {
        try truncate(to: 0)
        try checked("lseek") { lseek(number, 0, SEEK_SET) }
    }

    /// Waits until the contents are on the disk (`fsync`); some file systems have nothing to flush.
    package func synchronize() throws(FileError) {
        do { try checked("fsync") { fsync(number) } } catch  where error.code == EINVAL || error.code == EROFS {}
    }

    /// Sets the time of the last change, since 1970 (`futimens`).
    package func setModified(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        let isNegative = attoseconds < 0
        let stamp = timespec(
            tv_sec: Int(seconds) - (isNegative ? 1 : 0),
            tv_nsec: Int(attoseconds / 1_000_000_000) + (isNegative ? 1_000_000_000 : 0))
        futimens(number, [stamp, stamp])
    }

    package enum LockOutcome {
        case locked
        /// Another process, or another descriptor of this one, holds the lock.
        case isHeldElsewhere
        /// The file system has no locks.
        case unsupported
    }

    /// Locks the file without waiting (`flock`), alone or with others that share it; the lock ends with the last descriptor.
    package func lock(isShared: Bool = false) -> LockOutcome {
        if flock(number, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 { return .locked }
        return errno == EWOULDBLOCK ? .isHeldElsewhere : .unsupported
    }
}
