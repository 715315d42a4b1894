/// Why a cache on disk cannot do all it should; `description` says in one line where and what.
///
/// What to do about it is for the program to say, which knows what its settings are called.
///
/// A cache that is used goes on without: it reports each kind once. Maintenance (`verify`, `trim`, `clear`) throws it.
public enum DiskCacheError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The folder's path, or part of it, is something else than a folder (`ENOTDIR`).
    case notAFolder(folder: String)
    /// The folder can be read at best (`EACCES`, `EPERM`, `EROFS`).
    case notWritable(folder: String, reason: String)
    /// The disk, or the user's share of it, is full (`ENOSPC`, `EDQUOT`).
    case diskFull(folder: String)
    /// Another process is sweeping the folder, or was stopped while it held the lock.
    case busy(folder: String)
    /// An entry's file did not hold what was written to it, and was removed.
    case damagedEntry(file: String)
    /// Something else, in the system's words.
    case unusable(folder: String, reason: String)

    /// Where, and what.
    public var description: String {
        switch self {
        case .notAFolder(let folder):
            "\(folder): the cache cannot be there, because it is not a folder"
        case .notWritable(let folder, let reason):
            "\(folder): the cache cannot be written: \(reason)"
        case .diskFull(let folder):
            "\(folder): the disk is full; nothing is cached for a minute at a time until there is room"
        case .busy(let folder):
            "\(folder): another process is at work on this cache"
        case .damagedEntry(let file):
            "\(file): this cache entry was damaged and is forgotten"
        case .unusable(let folder, let reason):
            "\(folder): the cache cannot be used: \(reason)"
        }
    }

    /// One bit a kind, so that each is reported once.
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
