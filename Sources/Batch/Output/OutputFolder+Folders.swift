internal import Glibc

// The folder itself, and those below it.
extension OutputFolder {
    /// Opens a folder below the root, component by component; `nil` where it is missing and not to be made.
    func openFolder(_ names: ArraySlice<String>, isMade: Bool) throws(BatchFailure) -> Int32? {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var folder = openat(root, ".", flags)
        guard folder >= 0 else {
            throw BatchFailure(.unwritable, "the folder \(path.quoted) cannot be opened: \(SystemErrorText.last)")
        }
        for name in names {
            var next = openat(folder, name, flags)
            var code = errno
            if next < 0, code == ENOENT, isMade {
                // Another thread or process may have been first.
                if mkdirat(folder, name, 0o777) == 0 || errno == EEXIST { next = openat(folder, name, flags) }
                code = errno
            }
            close(folder)
            guard next >= 0 else {
                if code == ENOENT, !isMade { return nil }
                let below = "the folder \(name.quoted) below the output folder"
                guard code != ELOOP, code != ENOTDIR else {
                    throw BatchFailure(.unwritable, "\(below) is a link or a file; links are not followed there")
                }
                throw failure(code, "\(below) cannot be opened")
            }
            folder = next
        }
        return folder
    }

    /// Makes a folder and those above it.
    static func makeFolders(_ path: String) throws(BatchError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for count in 1...max(1, parts.count) where !(parts.prefix(count).last?.isEmpty ?? true) {
            let folder = parts.prefix(count).joined(separator: "/")
            guard mkdir(folder, 0o777) != 0 else { continue }
            let code = errno
            // A folder that is there may stand where nothing can be made.
            guard code == EEXIST || access(folder, F_OK) == 0 else {
                throw BatchError(
                    .unavailable, "the folder \(path.quoted) cannot be made: \(SystemErrorText.of(code))")
            }
        }
    }

    /// The file system's time, of a file that is made for it.
    static func now(in folder: Int32, _ path: String) throws(BatchError) -> timespec {
        var probe = ""
        var file: Int32 = -1
        for _ in 0..<100 where file < 0 {
            probe = TemporaryName.of(UInt64.random(in: 0..<1 << 32))
            file = openat(folder, probe, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
            if file < 0, errno != EEXIST { break }
        }
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else {
            throw BatchError(.unavailable, "the folder \(path.quoted) cannot be written: \(SystemErrorText.last)")
        }
        close(file)
        unlinkat(folder, probe, 0)
        return status.st_ctim
    }
}
