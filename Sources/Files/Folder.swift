internal import Glibc

/// An open folder; names in it never follow a link, and a name with a zero byte does not exist (`ENOENT`).
///
/// `Folder.working` takes absolute and relative paths, and follows links. All calls block; any thread may make them.
package struct Folder: ~Copyable, Sendable {
    package let descriptor: FileDescriptor

    package static let working = Folder(FileDescriptor(owning: AT_FDCWD))

    private init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    /// Follows links.
    package init(opening path: some FilePath) throws(FileError) { self = try Folder.working.openFolder(path) }
    private var followsLinks: Bool { descriptor.number == AT_FDCWD }

    @discardableResult
    func call(
        _ call: String, _ name: some FilePath, _ body: (Int32, UnsafePointer<CChar>) -> Int32
    ) throws(FileError) -> Int32 {
        guard !name.containsZero else { throw FileError(call, name.shown, code: ENOENT) }
        return try checked(call, path: name.shown) { name.withCPath { body(descriptor.number, $0) } }
    }

    /// By default opens for reading, without waiting for a pipe's writer; `permissions` apply to a new file.
    package func open(
        _ name: some FilePath, _ options: OpenOptions = .nonBlocking, permissions: UInt32 = 0o666
    ) throws(FileError) -> FileDescriptor {
        let flags = options.rawValue | O_CLOEXEC | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
        return FileDescriptor(owning: try call("openat", name) { openat($0, $1, flags, permissions) })
    }

    /// Throws `notRegularFile` for anything else.
    package func openRegular(_ name: some FilePath) throws(FileError) -> FileDescriptor {
        let file = try open(name)
        guard try file.status.isRegular else { throw FileError("openat", name.shown, cause: .notRegularFile) }
        return file
    }

    /// The first 8 KiB of a system file, such as `/proc/self/status`; empty if it cannot be read.
    package static func startOfFile(_ path: String) -> String {
        String(decoding: (try? working.open(path).bytes(8192)) ?? [], as: UTF8.self)
    }

    /// Nothing if `mayRead` refuses the file's size.
    package func read(
        _ name: some FilePath, limit: Int, mayRead: (Int) -> Bool = { _ in true }
    ) throws(FileError) -> [UInt8] {
        let file = try openRegular(name)
        do throws(FileError) {
            let size = try file.status.byteCount
            guard mayRead(min(size, limit)) else { return [] }
            let bytes = try file.readAll(limit: limit)
            guard bytes.count >= size else { throw FileError("read", cause: .truncated) }
            return bytes
        } catch {
            throw error.named(name.shown)
        }
    }

    /// Creates a missing folder if there are `permissions`; throws `ENOTDIR` for a link, too.
    package func openFolder(
        _ name: some FilePath, creatingWith permissions: UInt32? = nil
    ) throws(FileError) -> Folder {
        do {
            return Folder(try open(name, .folder))
        } catch {
            if error.code == ELOOP, !followsLinks { throw FileError(error.call, error.path, code: ENOTDIR) }
            guard error.code == ENOENT, let permissions else { throw error }
            try createFolder(name, permissions: permissions)
            return Folder(try open(name, .folder))
        }
    }

    /// Opens each folder in the one before.
    package func openFolder(
        _ names: some Sequence<String>, creatingWith permissions: UInt32? = nil
    ) throws(FileError) -> Folder {
        var folder = try openFolder(".")
        for name in names { folder = try folder.openFolder(name, creatingWith: permissions) }
        return folder
    }

    /// A link's own status, unless `followingLinks`.
    package func status(of name: some FilePath, followingLinks: Bool = false) throws(FileError) -> FileStatus {
        var status = stat()
        try call("fstatat", name) { fstatat($0, $1, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) }
        return FileStatus(status)
    }

    package func remove(_ name: some FilePath) throws(FileError) {
        try call("unlinkat", name) { unlinkat($0, $1, 0) }
    }

    package func removeFolder(_ name: some FilePath) throws(FileError) {
        try call("unlinkat", name) { unlinkat($0, $1, AT_REMOVEDIR) }
    }

    /// Removes everything in the folder; what cannot be removed stays.
    package func removeContents() {
        // Whether a name is a folder is found by trying: not every file system lists types.
        for name in (try? names()) ?? [] where (try? remove(name)) == nil {
            guard let folder = try? openFolder(name) else { continue }
            folder.removeContents()
            try? removeFolder(name)
        }
    }

    /// Returns `false` if the name is taken (`mkdirat`).
    @discardableResult
    package func createFolder(_ name: some FilePath, permissions: UInt32) throws(FileError) -> Bool {
        do throws(FileError) {
            try call("mkdirat", name) { mkdirat($0, $1, permissions) }
        } catch {
            guard error.code == EEXIST else { throw error }
            return false
        }
        // Another process may have replaced it by a link.
        if permissions == 0o700 {
            _ = try? call("fchmodat", name) { fchmodat($0, $1, permissions, AT_SYMLINK_NOFOLLOW) }
        }
        return true
    }

    /// Creates the parents, too.
    package static func create(_ path: String, permissions: UInt32) throws(FileError) {
        guard !path.containsZero else { throw FileError("mkdirat", path, code: ENOENT) }
        guard path.utf8.count < Int(PATH_MAX) else { throw FileError("mkdirat", path, code: ENAMETOOLONG) }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for count in parts.indices where !parts[count].isEmpty {
            let folder = parts[...count].joined(separator: "/")
            do throws(FileError) {
                try Folder.working.createFolder(folder, permissions: permissions)
            } catch {
                // An existing folder may be in one where nothing can be created.
                guard (try? Folder.working.status(of: folder, followingLinks: true)) != nil else {
                    throw error.named(path)
                }
            }
        }
    }

    package enum EntryKind {
        case folder, regular, other
        /// A link, or the file system does not list types.
        case unknown
    }

    /// Lists names except `.` and `..` until `body` returns `false` (`readdir`).
    package func forEachEntry(_ body: (_ name: UnsafeRawBufferPointer, EntryKind) -> Bool) throws(FileError) {
        // The stream closes a descriptor of its own.
        let copy = try checked("openat") { openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(copy) else {
            let failure = FileError("fdopendir")
            close(copy)
            throw failure
        }
        defer { closedir(stream) }
        var goesOn = true
        while goesOn {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw FileError("readdir") }
                return
            }
            let kind: EntryKind =
                switch Int(entry.pointee.d_type) {
                case Int(DT_DIR): .folder
                case Int(DT_REG): .regular
                case Int(DT_LNK), Int(DT_UNKNOWN): .unknown
                default: .other
                }
            withUnsafeBytes(of: &entry.pointee.d_name) { field in
                let name = UnsafeRawBufferPointer(rebasing: field[..<(field.firstIndex(of: 0) ?? field.count)])
                let isOwnOrParent = name.elementsEqual([UInt8(ascii: ".")]) || name.elementsEqual("..".utf8)
                if !isOwnOrParent { goesOn = body(name, kind) }
            }
        }
    }

    /// Whether an entry is a visible folder, or a visible file with a wanted name; `nil` for anything else.
    ///
    /// A link is nothing, or what it leads to. An unknown kind is looked up (`fstatat`).
    package func isFolder(
        _ name: UnsafeRawBufferPointer, _ kind: EntryKind, followingLinks: Bool = false,
        orFileWhere isWanted: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool? {
        guard name.first != UInt8(ascii: ".") else { return nil }
        switch kind {
        case .folder: return true
        case .regular: return isWanted(name) ? false : nil
        case .other: return nil
        case .unknown:
            guard let status = try? status(of: Array(name), followingLinks: followingLinks) else { return nil }
            if status.kind == .folder { return true }
            return status.isRegular && isWanted(name) ? false : nil
        }
    }

    /// In no order; names need not be UTF-8.
    package func names() throws(FileError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        try forEachEntry { name, _ in
            names.append(Array(name))
            return true
        }
        return names
    }

    package var isEmpty: Bool {
        get throws(FileError) {
            var isEmpty = true
            try forEachEntry { _, _ in
                isEmpty = false
                return false
            }
            return isEmpty
        }
    }

    /// Bytes an ordinary user can still write (`fstatvfs`); `nil` where the file system does not know.
    package var freeBytes: Int? {
        var status = statvfs()
        return fstatvfs(descriptor.number, &status) == 0 ? Self.freeBytes(status) : nil
    }

    /// Free bytes where a folder is, or would be created (`statvfs`); `nil` where the file system does not know.
    package static func freeBytes(near path: String) -> Int? {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        var status = statvfs()
        while statvfs(parts.isEmpty ? "." : parts.joined(separator: "/") + "/", &status) != 0 {
            guard parts.popLast() != nil else { return nil }
        }
        return freeBytes(status)
    }

    private static func freeBytes(_ status: statvfs) -> Int? {
        guard status.f_blocks > 0 else { return nil }
        let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflows ? nil : Int(clamping: bytes)
    }
}
