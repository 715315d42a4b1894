internal import Glibc
internal import SpyglassFiles
internal import SpyglassThreads

/// Why a disk cache cannot work as it should.
///
/// `description` tells where and what in one line; the program adds the remedy. A cache that is used continues and reports each
/// kind once; maintenance (`trim`, `clear`) throws.
@nonexhaustive
public enum DiskCacheError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path or a part of it is not a folder (`ENOTDIR`).
    case notAFolder(folder: String)
    /// The folder cannot be written (`EACCES`, `EPERM`, `EROFS`).
    case notWritable(folder: String, reason: String)
    /// The disk or the user's quota is full (`ENOSPC`, `EDQUOT`).
    case diskFull(folder: String)
    /// Another process is sweeping, or was stopped while it held the lock.
    case busy(folder: String)
    /// An entry was damaged and removed.
    case damagedEntry(file: String)
    /// Another error, with the system's message.
    case unusable(folder: String, reason: String)

    /// One line: where and what.
    public var description: String {
        switch self {
        case .notAFolder(let folder): "\(folder): cannot use as a cache: not a folder"
        case .notWritable(let folder, let reason): "\(folder): cannot write to the cache: \(reason)"
        case .diskFull(let folder): "\(folder): disk full; caching pauses for a minute"
        case .busy(let folder): "\(folder): cache is in use by another process"
        case .damagedEntry(let file): "\(file): removed a corrupt cache entry"
        case .unusable(let folder, let reason): "\(folder): cannot use the cache: \(reason)"
        }
    }

    /// One bit for each kind.
    var kind: UInt8 {
        switch self {
        case .notAFolder: 1 << 0
        case .notWritable: 1 << 1
        case .diskFull: 1 << 2
        case .busy: 1 << 3
        case .damagedEntry: 1 << 4
        case .unusable: 1 << 5
        }
    }
}

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
                && ([.foreign, .shared].contains(error.cause)
                    || [EACCES, EPERM, EROFS, ENOTDIR, ENOENT, EIO].contains(error.code))
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
