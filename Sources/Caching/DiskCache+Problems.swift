internal import Glibc
internal import SpyglassThreads

/// What goes wrong, and who is told.
extension DiskCache {
    /// Reports a failure, unless it only means that there is nothing, nothing of ours, or somebody else at work.
    func note(_ failure: SystemFailure) {
        guard ![ENOENT, ELOOP, ENXIO, EWOULDBLOCK].contains(failure.code) else { return }
        report(problem(failure))
    }

    func problem(_ failure: SystemFailure) -> DiskCacheError {
        switch failure.code {
        case ENOTDIR: .notAFolder(folder: failure.name.map { "\(folder)/\($0)" } ?? folder)
        case EACCES where failure.name == nil, EPERM, EROFS: .notWritable(folder: folder, reason: failure.reason)
        case _ where failure.isFull: .diskFull(folder: folder)
        case EWOULDBLOCK: .busy(folder: folder)
        default: .unusable(folder: folder, reason: failure.name.map { "\($0): \(failure.reason)" } ?? failure.reason)
        }
    }

    func report(_ problem: DiskCacheError) {
        let isNew = state.withLock { state in
            defer { state.reported |= problem.kind }
            return state.reported & problem.kind == 0
        }
        if isNew { onError?(problem) }
    }
}

extension SystemFailure {
    /// Whether the disk or the user's share of it is full.
    var isFull: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether the next write would fail too: it is of the whole folder, and does not pass by itself at once.
    var isLasting: Bool { isFull || (name == nil && [EACCES, EPERM, EROFS, ENOTDIR, ENOENT, EIO].contains(code)) }
}
