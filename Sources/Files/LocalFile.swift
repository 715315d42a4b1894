internal import Glibc

/// A file on disk and the contents that it had when it was looked at: another size or time means other contents.
///
///     if let file = LocalFile(path: "photo.jpg") { request = ImageRequest(.localFile(file), target: target) }
///
/// The path need not be UTF-8.
public struct LocalFile: Hashable, Sendable, CustomStringConvertible {
    package let path: [UInt8]
    package let identity: FileIdentity
    /// Size in bytes.
    public let byteCount: Int
    /// Last change of the contents, since 1970 (mtime).
    package let modified: Duration
    /// Last change of contents, name or permissions (ctime), which no program can set.
    package let changed: Duration
    /// True for a folder.
    public let isFolder: Bool
    /// The page of a file that has several, from 0.
    package var page: Int

    package init(_ path: [UInt8], _ status: FileStatus, page: Int = 0) {
        (self.path, self.page) = (path, page)
        identity = status.identity
        byteCount = status.byteCount
        modified = status.modified
        changed = status.changed
        isFolder = status.kind == .folder
    }

    /// Without the path, which is long: file and time tell nearly all files apart.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
        hasher.combine(modified)
    }

    /// Looks a file or folder up (`fstatat`), following links; `nil` if that fails.
    ///
    /// Blocks on the disk.
    public init?(path: String) {
        guard let file = try? LocalFile(Array(path.utf8)) else { return nil }
        self = file
    }

    /// Looks a file up, following links.
    package init(_ path: [UInt8]) throws(FileError) {
        self.init(path, try Folder.working.status(of: path, followingLinks: true))
    }

    /// Whether the file has the same contents, as far as size and time tell.
    package func matches(_ status: FileStatus) -> Bool {
        identity == status.identity && byteCount == status.byteCount && modified == status.modified
    }

    /// A text for this file and these contents: device, inode, size and times.
    ///
    /// A file that is overwritten in place, and its time set back, has another time of change.
    package var cacheName: String {
        "\(identity.text) \(byteCount) \(modified.attoseconds) \(changed.attoseconds)" + (page > 0 ? " \(page)" : "")
    }

    /// The path before the name, "." without any; bytes that are not UTF-8 are replaced.
    package var folder: String {
        let slash = UInt8(ascii: "/")
        guard let end = path.lastIndex(of: slash) else { return "." }
        return end == 0 ? "/" : Array(path[..<end]).shown
    }

    /// When the contents last changed, by the system's time zone (`localtime_r`): `2024-05-17T12:30:45`.
    package var localTime: String? { Self.localTime(modified) }

    /// A time since 1970 by the system's time zone.
    static func localTime(_ time: Duration) -> String? {
        var seconds = time_t(time.components.seconds)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return nil }
        return String(unsafeUninitializedCapacity: 40) { text in
            text.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, "%Y-%m-%dT%H:%M:%S", &parts) }
        }
    }

    /// The last part of the path; bytes that are not UTF-8 are replaced.
    public var name: String { Self.name(of: path) }

    /// The path in one line, without control characters; bytes that are not UTF-8 are replaced.
    public var description: String { path.shown.onOneLine }

    package static func name(of path: [UInt8]) -> String { (path.lastName.isEmpty ? path : path.lastName).shown }

    /// The path from the root (`getcwd`), without links if it is that of a folder (`realpath`).
    package static func absolutePath(_ path: [UInt8]) -> [UInt8] {
        guard !path.containsZero else { return path }
        if (try? LocalFile(path))?.isFolder == true, let found = path.withCPath({ realpath($0, nil) }) {
            defer { free(found) }
            return bytes(found)
        }
        guard path.first != UInt8(ascii: "/"), let working = getcwd(nil, 0) else { return path }
        defer { free(working) }
        return bytes(working) + [UInt8(ascii: "/")] + path
    }

    private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
}
