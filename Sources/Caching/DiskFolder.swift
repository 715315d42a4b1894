internal import Glibc
internal import SpyglassFiles

/// A cache's folder and its 256 sub-folders, below which no link is followed.
///
///     ROOT/CACHEDIR.TAG            excludes the folder from backups
///     ROOT/count                   bytes used by all processes (`DiskUsageCounter`)
///     ROOT/sweeping                locked by the process that evicts
///     ROOT/a3/a3f09c…              an entry, named by the FNV-1a 64 hash of its key in 16 hex digits
///     ROOT/a3/tmp-…                an entry that is being written, locked (`flock`) by its writer
final class DiskFolder: Sendable {
    /// Locks an open file (`flock`).
    typealias Lock = @Sendable (Int32, Int32) -> Int32

    private let root: Folder
    static let countName = "count"
    static let sweepingName = "sweeping"
    private static let tagName = "CACHEDIR.TAG"
    /// The first line is the specification's (bford.info/cachedir).
    private static let tag = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This folder is a cache of spyglass. What is in it can be removed at any time.

        """

    private init(_ root: consuming Folder) { self.root = root }

    /// Who may own the folder: this user, and root, who can write to it anyway.
    static let owners = [geteuid(), 0]
    /// In a folder that other users may write to, such as /tmp or an emptyDir, the cache is in this one.
    private static let privateName = "spyglass-\(geteuid())"

    /// Opens a folder, or follows a link of this user's; throws `foreign` for another user's folder, also for root.
    static func opening(
        _ path: String, of owners: [UInt32] = DiskFolder.owners, isMade: Bool = false
    ) throws(FileError) -> DiskFolder {
        let root = try Folder(opening: path)
        let status = try root.descriptor.status
        // Checked after opening: what the path names now leads to the open folder.
        guard owners.contains(status.owner), owners.contains(try Folder.working.status(of: path).owner),
            try Folder.working.status(of: path, followingLinks: true).identity == status.identity
        else { throw FileError("openat", path, cause: .foreign) }
        guard status.isWritableByOthers else { return DiskFolder(root) }
        let own = try root.openFolder(privateName, creatingWith: isMade ? 0o700 : nil)
        let ownStatus = try own.descriptor.status
        guard ownStatus.owner == geteuid() else { throw FileError("openat", privateName, cause: .foreign) }
        guard !ownStatus.isWritableByOthers else { throw FileError("openat", privateName, cause: .shared) }
        return DiskFolder(own)
    }

    static func making(_ path: String, of owners: [UInt32]) throws(FileError) -> DiskFolder {
        do { return try opening(path, of: owners, isMade: true) } catch {
            guard error.code == ENOENT, !path.containsZero else { throw error }
            try Folder.create(path, permissions: 0o700)
            return try opening(path, of: owners, isMade: true)
        }
    }

    /// Marks the folder as a cache, unless it also holds files that backups must include.
    func prepare() {
        if isOursAlone, let file = try? root.open(Self.tagName, [.write, .create, .exclusive], permissions: 0o600) {
            try? file.write(Array(Self.tag.utf8))
        }
        // Created early: a full disk must be swept, too.
        _ = try? sharedFile(Self.sweepingName)
    }

    func subfolder(_ number: UInt8, isMade: Bool = false) throws(FileError) -> Folder {
        try root.openFolder(EntryName.folder(number), creatingWith: isMade ? 0o700 : nil)
    }

    /// Opens one of the 256 sub-folders; `nil` if it is missing, not a folder or not ours to read.
    func existingSubfolder(_ number: UInt8) throws(FileError) -> Folder? {
        do throws(FileError) {
            return try subfolder(number)
        } catch {
            guard [ENOENT, ENOTDIR, EACCES].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Calls `body` with each regular file, in the order of names.
    ///
    /// With a counter, each sub-folder is listed while the count is locked; `body` runs after that.
    func forEachFile(
        while usage: DiskUsageCounter? = nil,
        _ body: (_ subfolder: borrowing Folder, _ file: String, _ number: UInt8, FileStatus) throws(FileError) -> Void
    ) throws(FileError) {
        for number in UInt8.min...UInt8.max {
            guard let subfolder = try existingSubfolder(number) else { continue }
            let files =
                if let usage {
                    try usage.withCount { _ throws(FileError) in try Self.regularFiles(in: subfolder) }
                } else {
                    try Self.regularFiles(in: subfolder)
                }
            for file in files { try body(subfolder, file.name, number, file.status) }
        }
    }

    private static func regularFiles(
        in folder: borrowing Folder
    ) throws(FileError) -> [(name: String, status: FileStatus)] {
        var files: [(name: String, status: FileStatus)] = []
        for name in try folder.names().map(\.shown).sorted() {
            guard let status = try? folder.status(of: name), status.isRegular else { continue }
            files.append((name, status))
        }
        return files
    }

    /// Opens one of the two files that processes share; creates it if it is missing.
    func sharedFile(_ name: String) throws(FileError) -> FileDescriptor {
        let file = try root.open(name, [.readAndWrite, .create, .nonBlocking], permissions: 0o600)
        guard try file.status.isRegular else { throw FileError("openat", name, cause: .notRegularFile) }
        return file
    }

    func isFresh() throws(FileError) -> Bool {
        for number in UInt8.min...UInt8.max {
            if let subfolder = try existingSubfolder(number), try !subfolder.isEmpty { return false }
        }
        return true
    }

    private var isOursAlone: Bool {
        guard let names = try? root.names().map(\.shown) else { return false }
        let known = [Self.tagName, Self.countName, Self.sweepingName]
        return names.allSatisfy { known.contains($0) || EntryName.isFolder($0) }
    }
}

/// Sub-folder and file of an entry, by the hash of its key.
struct EntryName: Hashable {
    let hash: UInt64
    var folderNumber: UInt8 { UInt8(truncatingIfNeeded: hash >> 56) }
    static let fileLength = 16
    /// 16 hex digits, the first two of which name the sub-folder.
    var file: String { Hex.text(hash) }
    var path: String { "\(Self.folder(folderNumber))/\(file)" }

    init(hash: UInt64) { self.hash = hash }

    /// `nil` if an entry of that sub-folder cannot have the name.
    init?(file: String, in folder: UInt8) {
        guard let hash = Hex.number(file) else { return nil }
        self.init(hash: hash)
        guard folderNumber == folder else { return nil }
    }

    static func folder(_ number: UInt8) -> String { Hex.text(UInt64(number), digits: 2) }
    static func isFolder(_ name: String) -> Bool { name.utf8.count == 2 && Hex.isHex(name) }
    static func newTemporary() -> String { temporaryMark + Hex.text(.random(in: 0 ... .max)) }

    static func isTemporary(_ file: String) -> Bool {
        file.hasPrefix(temporaryMark) && Hex.number(file.dropFirst(temporaryMark.count)) != nil
    }

    private static let temporaryMark = "tmp-"
}
