internal import Glibc

/// The properties of a file without its contents (`fstat`).
package struct FileStatus: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case regular, folder, link, pipe, socket, device }

    package let kind: Kind
    /// Bytes of a regular file.
    package let byteCount: Int
    package let identity: FileIdentity
    /// Number of names; 0 once the file is removed.
    package let linkCount: Int
    package let owner: UInt32
    package let permissions: UInt32
    /// Whether only owners may rename and remove what is in the folder.
    let isSticky: Bool
    /// Last change of the contents, since 1970 (mtime).
    package let modified: Duration
    /// Last change of contents, name or permissions, since 1970 (ctime).
    package let changed: Duration

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            default: .device
            }
        byteCount = Int(status.st_size)
        identity = FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
        linkCount = Int(status.st_nlink)
        owner = status.st_uid
        permissions = status.st_mode & 0o777
        isSticky = status.st_mode & S_ISVTX != 0
        modified = Self.duration(status.st_mtim)
        changed = Self.duration(status.st_ctim)
    }

    private static func duration(_ time: timespec) -> Duration {
        Duration(secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
    }

    package var isRegular: Bool { kind == .regular }
    package var isWritableByOthers: Bool { permissions & 0o022 != 0 }
}

/// The identity of a file, equal for all its names.
package struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    fileprivate let number: UInt64

    /// The numbers, for a key.
    package var text: String { "\(device) \(number)" }
}
