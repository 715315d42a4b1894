internal import Glibc

/// A cache's folder and its 256 sub-folders; below it no link is followed.
///
///     ROOT/CACHEDIR.TAG            so that back-ups leave the folder out
///     ROOT/count                   the bytes of all processes together (`DiskUsageCounter`)
///     ROOT/sweeping                locked by the one process that sweeps
///     ROOT/a3/a3f09c…              an entry, named by the FNV-1a 64 hash of its key in 16 hex digits
///     ROOT/a3/tmp-…                an entry that is being written; locked (`flock`) by its writer as long as that lives
final class DiskFolder: Sendable {
    /// Locks an open file (`flock`).
    typealias Lock = @Sendable (Int32, Int32) -> Int32

    /// As its owner named it.
    let path: String
    private let root: FileDescriptor

    static let countName = "count"
    static let sweepingName = "sweeping"
    private static let tagName = "CACHEDIR.TAG"
    /// The first line is the specification's (bford.info/cachedir).
    private static let tag = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This folder is a cache of spyglass. What is in it can be removed at any time.

        """

    private init(path: String, root: consuming FileDescriptor) {
        self.path = path
        self.root = root
    }

    /// Opens a folder that is there; a link to it is followed, since its owner named it.
    static func opening(_ path: String) throws(SystemFailure) -> DiskFolder {
        // The rest of the path would silently be cut off.
        guard !path.utf8.contains(0) else { throw SystemFailure(code: ENOENT) }
        let root = try FileDescriptor(taking: open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        return DiskFolder(path: path, root: root)
    }

    /// Opens a folder, making it and those above it where they are missing.
    static func making(_ path: String) throws(SystemFailure) -> DiskFolder {
        do { return try opening(path) } catch {
            guard error.code == ENOENT else { throw error }
            try makeFolders(path)
            return try opening(path)
        }
    }

    /// Marks the folder as a cache, unless something else is in it that back-ups must not miss.
    func prepare() {
        if isOursAlone { writeTag() }
        // While there is room: a full disk is swept too.
        _ = try? agreement(Self.sweepingName)
    }

    /// Free bytes of the file system that a folder is on, or would be on (`statvfs`); 0 when nobody knows.
    static func freeBytes(near path: String) -> Int {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        var status = statvfs()
        while statvfs(parts.isEmpty ? "." : parts.joined(separator: "/") + "/", &status) != 0 {
            guard parts.popLast() != nil else { return 0 }
        }
        let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflows ? .max : Int(clamping: bytes)
    }

    /// One of the 256 sub-folders; with `isMade`, it is made where it is missing.
    func subfolder(_ number: UInt8, isMade: Bool = false) throws(SystemFailure) -> FileDescriptor {
        let name = EntryName.folder(number)
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let found = openat(root.number, name, flags)
        if found < 0, errno == ENOTDIR || errno == ELOOP { throw SystemFailure(code: ENOTDIR, name: name) }
        if found < 0, errno == EACCES { throw SystemFailure(code: EACCES, name: name) }
        if found >= 0 || errno != ENOENT || !isMade { return try FileDescriptor(taking: found) }
        if mkdirat(root.number, name, 0o700) == 0 {
            // The process's mask may have taken its owner's rights away.
            fchmodat(root.number, name, 0o700, 0)
        } else if errno != EEXIST {
            throw SystemFailure.last
        }
        return try FileDescriptor(taking: openat(root.number, name, flags))
    }

    /// One of the 256 sub-folders, or `nil` where none of ours stands: nothing, a file, a link, or what only others may read.
    func existingSubfolder(_ number: UInt8) throws(SystemFailure) -> FileDescriptor? {
        do throws(SystemFailure) {
            return try subfolder(number)
        } catch {
            guard [ENOENT, ENOTDIR, EACCES].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Calls `body` with every plain file of the sub-folders, in the order of their names.
    ///
    /// With a ledger, each sub-folder is listed while nobody else holds the count; `body` is called after that.
    func forEachFile(
        while ledger: DiskUsageCounter? = nil,
        _ body: (_ subfolder: Int32, _ file: String, _ number: UInt8, stat) throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        for number in UInt8.min...UInt8.max {
            guard let subfolder = try existingSubfolder(number) else { continue }
            let descriptor = subfolder.number
            let files =
                if let ledger {
                    try ledger.withCount { _ throws(SystemFailure) in try Self.plainFiles(in: descriptor) }
                } else {
                    try Self.plainFiles(in: descriptor)
                }
            for file in files { try body(descriptor, file.name, number, file.status) }
        }
    }

    private static func plainFiles(in folder: Int32) throws(SystemFailure) -> [(name: String, status: stat)] {
        var names: [String] = []
        try forEachName(in: folder) { names.append($0) }
        var files: [(name: String, status: stat)] = []
        for name in names.sorted() {
            var status = stat()
            guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.isPlainFile else { continue }
            files.append((name, status))
        }
        return files
    }

    /// Opens one of the two files that processes agree by, making it where it is missing.
    func agreement(_ name: String) throws(SystemFailure) -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = try FileDescriptor(taking: openat(root.number, name, flags, 0o600))
        guard try file.status.isPlainFile else { throw SystemFailure(code: EINVAL, name: name) }
        return file
    }

    /// Whether there is no entry and no temporary file.
    func isFresh() throws(SystemFailure) -> Bool {
        for number in UInt8.min...UInt8.max {
            guard let subfolder = try existingSubfolder(number) else { continue }
            var isEmpty = true
            try forEachName(in: subfolder.number) { _ in isEmpty = false }
            guard isEmpty else { return false }
        }
        return true
    }

    private var isOursAlone: Bool {
        var isOurs = true
        do throws(SystemFailure) {
            try forEachName(in: root.number) { name in
                let isKnown = [Self.tagName, Self.countName, Self.sweepingName].contains(name)
                if !isKnown, !EntryName.isFolder(name) { isOurs = false }
            }
        } catch { return false }
        return isOurs
    }

    private func writeTag() {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        guard let file = try? FileDescriptor(taking: openat(root.number, Self.tagName, flags, 0o600)) else { return }
        var tag = Self.tag
        // A tag that is not there costs nobody but back-ups anything.
        _ = tag.withUTF8 { write(file.number, $0.baseAddress, $0.count) }
    }

    private static func makeFolders(_ path: String) throws(SystemFailure) {
        guard path.utf8.count < Int(PATH_MAX) else { throw SystemFailure(code: ENAMETOOLONG) }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for count in 1...max(1, parts.count) where !(parts.prefix(count).last?.isEmpty ?? true) {
            let folder = parts.prefix(count).joined(separator: "/")
            guard mkdir(folder, 0o700) == 0 else {
                // A folder that is there may stand where nothing can be made: what matters is whether the last can be opened.
                let code = errno
                guard code == EEXIST || access(folder, F_OK) == 0 else { throw SystemFailure(code: code) }
                continue
            }
            chmod(folder, 0o700)
        }
    }
}

/// Calls `body` with every name in a folder, links to itself and its parent aside.
func forEachName(in folder: Int32, _ body: (String) -> Void) throws(SystemFailure) {
    // The stream takes a descriptor of its own over and closes it.
    let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else {
        let failure = SystemFailure.last
        if copy >= 0 { close(copy) }
        throw failure
    }
    defer { closedir(stream) }
    while true {
        errno = 0
        guard let entry = readdir(stream) else {
            guard errno == 0 else { throw SystemFailure.last }
            return
        }
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { body(name) }
    }
}
