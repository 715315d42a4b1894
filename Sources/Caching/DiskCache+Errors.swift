internal import Glibc
internal import SpyglassFiles
internal import SpyglassThreads

extension DiskCache {
    /// Reports an error, unless a file is missing or not ours, or another process holds a lock.
    func note(_ error: FileError) {
        guard ![ENOENT, ELOOP, ENXIO, EWOULDBLOCK].contains(error.code) else { return }
        report(cacheError(error))
    }

    func cacheError(_ error: FileError) -> DiskCacheError {
        let isLocal = concernsOneFile(error)
        switch error.code {
        case ENOTDIR: return .notAFolder(folder: error.path == folder ? folder : "\(folder)/\(error.path)")
        case EACCES where !isLocal, EPERM, EROFS: return .notWritable(folder: folder, reason: error.reason)
        case _ where error.isDiskFull: return .diskFull(folder: folder)
        case EWOULDBLOCK: return .busy(folder: folder)
        default: return .unusable(folder: folder, reason: error.path == folder ? error.reason : error.description)
        }
    }

    /// Whether the next write would fail too.
    func isLasting(_ error: FileError) -> Bool {
        error.isDiskFull
            || !concernsOneFile(error)
                && [EACCES, EPERM, EROFS, ENOTDIR, ENOENT, EIO, FileError.foreign, FileError.shared].contains(
                    error.code)
    }

    /// Whether only one entry or sub-folder cannot be opened.
    private func concernsOneFile(_ error: FileError) -> Bool {
        error.call == "openat" && (EntryName.isFolder(error.path) || error.path.utf8.count == EntryName.fileLength)
            && error.path != folder
    }

    func report(_ problem: DiskCacheError) {
        let isNew = state.withLock { state in
            defer { state.reported |= problem.kind }
            return state.reported & problem.kind == 0
        }
        if isNew { onError?(problem) }
    }
}
