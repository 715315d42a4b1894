internal import Glibc
internal import SpyglassThreads

/// A file that is being made: hidden beside its final place, and put there when it is whole.
///
/// Calls block, and come one after another.
final class FileDownloadTarget: Sendable {
    /// What tests replace: what cannot be had without a full disk or a file system without links.
    struct Calls: Sendable {
        /// `write`.
        var write: @Sendable (_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int = {
            Glibc.write($0, $1.baseAddress, $1.count)
        }
        /// `linkat` within a folder: gives a file a second name unless there is one like it.
        var link: @Sendable (_ folder: Int32, _ name: String, _ newName: String) -> Int32 = {
            linkat($0, $1, $0, $2, 0)
        }
        /// Bytes that may still be written, of `fstatvfs`; `nil` where the file system does not say.
        var room: @Sendable (_ folder: Int32) -> Int? = { folder in
            var status = statvfs()
            guard fstatvfs(folder, &status) == 0, status.f_blocks > 0 else { return nil }
            let (bytes, overflows) = status.f_bavail.multipliedReportingOverflow(by: status.f_frsize)
            return overflows ? nil : Int(clamping: bytes)
        }
    }

    private struct Open {
        let folder: Int32
        let file: Int32
        let hiddenName: String
    }

    /// As the user named it.
    private let path: String
    /// The path with the slash at its end, or nothing.
    private let folderPrefix: String
    private let name: String
    private let calls: Calls
    private let opened = Mutex<Open?>(nil)

    /// The longest name of a file in bytes (`NAME_MAX` of limits.h).
    private static let nameLimit = 255
    /// Numbers that are tried for a name that is taken.
    private static let numberLimit = 9999

    /// A file that is to be made; nothing is touched.
    ///
    /// - Throws: `FetchError` where the path names no file.
    init(path: String, _ calls: Calls = Calls()) throws(FetchError) {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        let name = String(path[start...])
        guard !["", ".", ".."].contains(name), !path.utf8.contains(0), name.utf8.count <= Self.nameLimit else {
            throw FetchError(.unavailable, "'\(String(path.prefix(200)).withoutControls)' is no name for a file")
        }
        self.path = path
        self.name = name
        folderPrefix = String(path[..<start])
        self.calls = calls
    }

    deinit { opened.withLock(\.self).map(Self.close) }

    /// Makes the hidden file.
    func open() throws(FetchError) {
        let folderPath = folderPrefix.isEmpty ? "." : folderPrefix
        let folder = Glibc.open(folderPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("the folder \(folderPath.withoutControls) cannot be opened") }
        let hiddenName = ".spyglass-\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).part"
        let file = openat(folder, hiddenName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else {
            let error = failure("\(path.withoutControls) cannot be made")
            Glibc.close(folder)
            throw error
        }
        opened.withLock { $0 = Open(folder: folder, file: file, hiddenName: hiddenName) }
    }

    /// Empties the file for a body that begins, if there is room for it.
    func begin(expecting total: Int?) throws(FetchError) {
        let open = try current()
        guard ftruncate(open.file, 0) == 0, lseek(open.file, 0, SEEK_SET) == 0 else {
            throw failure("\(path.withoutControls) cannot be written")
        }
        guard let total, let room = calls.room(open.folder), total > room else { return }
        throw FetchError(
            .unavailable, "there is no room for \(path.withoutControls): it has \(total) bytes, and \(room) are free")
    }

    /// Puts bytes behind those that are there.
    func write(_ bytes: [UInt8]) throws(FetchError) {
        let file = try current().file
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { calls.write(file, UnsafeRawBufferPointer(rebasing: $0[done...])) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("\(path.withoutControls) cannot be written") }
            done += count
        }
    }

    /// Gives the file its name, or the first with a number that is free, and returns the path.
    func publish() throws(FetchError) -> String {
        let open = try current()
        // Some file systems have nothing to flush.
        guard fsync(open.file) == 0 || errno == EINVAL || errno == EROFS else {
            throw failure("\(path.withoutControls) cannot be written")
        }
        for number in 0...Self.numberLimit {
            let name = number == 0 ? name : numbered(number)
            if try place(open, at: name) {
                // So that the name survives a crash; what cannot be done about it is nobody's loss.
                fsync(open.folder)
                opened.withLock { $0 = nil }
                Self.close(open)
                return folderPrefix + name
            }
        }
        throw FetchError(.unavailable, "\(path.withoutControls) and \(Self.numberLimit) names like it are taken")
    }

    /// Removes what was written, if it was not published.
    func discard() {
        guard let open = opened.withLock({ $0.take() }) else { return }
        unlinkat(open.folder, open.hiddenName, 0)
        Self.close(open)
    }

    /// Puts the file at a name; `false` when there is something already.
    private func place(_ open: Open, at name: String) throws(FetchError) -> Bool {
        if calls.link(open.folder, open.hiddenName, name) == 0 {
            unlinkat(open.folder, open.hiddenName, 0)
            return true
        }
        switch errno {
        case EEXIST: return false
        // No links here (linkat(2)): FAT, some FUSE.
        case EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EXDEV, EINVAL: return try replaceReserved(open, at: name)
        default: throw failure("\(path.withoutControls) cannot be made")
        }
    }

    /// Takes the name with an empty file of our own, and renames over that.
    private func replaceReserved(_ open: Open, at name: String) throws(FetchError) -> Bool {
        let reserved = openat(open.folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        if reserved < 0, errno == EEXIST { return false }
        guard reserved >= 0 else { throw failure("\(path.withoutControls) cannot be made") }
        defer { Glibc.close(reserved) }
        guard renameat(open.folder, open.hiddenName, open.folder, name) == 0 else {
            let error = failure("\(path.withoutControls) cannot be made")
            unlinkat(open.folder, name, 0)
            throw error
        }
        return true
    }

    /// The name with a number before its extension, shortened to what a name may have.
    private func numbered(_ number: Int) -> String {
        var stem = name[...]
        var end = "-\(number)"
        if let dot = name.lastIndex(of: "."), dot > name.startIndex, name[dot...].utf8.count < Self.nameLimit / 2 {
            stem = name[..<dot]
            end += name[dot...]
        }
        while stem.utf8.count + end.utf8.count > Self.nameLimit { stem.removeLast() }
        return stem + end
    }

    private func current() throws(FetchError) -> Open {
        guard let open = opened.withLock(\.self) else {
            throw FetchError(.unavailable, "\(path.withoutControls) is not being written")
        }
        return open
    }

    private func failure(_ what: String) -> FetchError { ArchiveFolder.failure(what) }

    private static func close(_ open: Open) {
        Glibc.close(open.file)
        Glibc.close(open.folder)
    }
}
