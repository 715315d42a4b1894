internal import Glibc
internal import SpyglassFiles
internal import SpyglassThreads

/// A cache of bytes in a folder that several processes may share.
///
///     let cache = DiskCache(folder: "/home/ada/.cache/gallery", byteLimit: 1 << 30)
///     let pipeline = ImagePipeline(ImagePipeline.Configuration(cache: cache))
///
/// An entry is one file with checksums over all of it: a damaged one is a miss and is removed. Nothing is flushed (`fsync`), which
/// would cost milliseconds an entry: a crash of the system loses some entries. Keys with equal hashes displace each other.
///
/// Entries and temporary files of all processes stay below `byteLimit`, each counted in blocks of 4 KiB; folders add
/// at most 2 MiB plus 1 % of the limit. At 90 % of the limit a thread of its own removes the least recently used entries, down to 80 %.
/// An entry that does not fit is declined.
///
/// Calls block on the disk; thread-safe. On a tmpfs, reading 40 KB takes 15 µs of CPU and storing 50. An error makes a miss; each kind
/// is reported once (`onError`).
public final class DiskCache: ByteStore {
    /// Default limit: the smaller of this (1 GiB) and `defaultShareOfFreeSpace`.
    package static let defaultByteLimit = 1 << 30
    /// Default limit in percent of the free space at first use.
    package static let defaultShareOfFreeSpace = 2
    /// Shares of the limit, in percent, at which a sweep starts and stops.
    static let (highWatermark, lowWatermark) = (90, 80)
    /// Entries above the limit divided by this are declined: they would displace too many others.
    static let entryShare = 10
    /// Unit in which entries are counted, in bytes: the block of most file systems.
    package static let blockByteCount = 4096
    /// Maximum count of one file (1 TiB): sparse files may have 2^63 bytes, and sums must not overflow.
    static let maxCharge = 1 << 40
    /// Interval at which the time of last use (mtime) is refreshed.
    static let useGranularity: Duration = .seconds(3600)
    static let writeBackoff: Duration = .seconds(60)
    static let recountInterval: Duration = .seconds(24 * 3600)
    /// Maximum bytes of a file that is read under any limit: a body of 64 MiB and its head.
    static let readableByteCount = (64 << 20) + DiskEntryHeader.keyLimit + DiskEntryHeader.metadataLimit

    /// Replaced by tests.
    struct Overrides: Sendable {
        var hash: @Sendable (String) -> UInt64 = { FNV1a.hash($0) }
        var write = FileDescriptor.writeCall
        var lock: DiskFolder.Lock = { flock($0, $1) }
        var owners = DiskFolder.owners
        /// Sweeps run on the caller's thread.
        var sweepsAtOnce = false
    }

    struct State {
        var folder: OpenFolder?
        var isPrepared = false
        var byteLimit: Int?
        var pausedAt: WallTime?
        /// When a sweep last made too little room.
        var futileSweepAt: WallTime?
        var isSweeping = false
        var reported: UInt8 = 0
    }

    /// Kept open until the last call that uses it returns.
    struct OpenFolder: Sendable {
        let files: DiskFolder
        let usage: DiskUsageCounter
    }

    /// The path as it was given.
    package let folder: String
    let overrides: Overrides
    let now: @Sendable () -> WallTime
    let state: Mutex<State>
    let sweeper = ThreadPool(count: 1)
    let onError: (@Sendable (DiskCacheError) -> Void)?

    /// A cache in a folder; touches nothing before the first call.
    ///
    /// - Parameters:
    ///   - folder: created with its parents at the first `store`. It may be a link; below it no link is followed. Another user's
    ///     folder is not used; in one that other users may write to, entries are in a private folder named by the user's number.
    ///   - byteLimit: bytes of all entries. By default the smaller of 1 GiB and 2 % of the free space at first use.
    ///   - onError: called once for each kind of error, on the thread of the call that met it.
    public convenience init(
        folder: String, byteLimit: Int? = nil, onError: (@Sendable (DiskCacheError) -> Void)? = nil
    ) {
        self.init(folder: folder, byteLimit: byteLimit, now: WallTime.now, onError: onError)
    }

    /// A cache whose last uses and pauses follow a calendar.
    package convenience init(
        folder: String, byteLimit: Int? = nil, now: @escaping @Sendable () -> WallTime,
        onError: (@Sendable (DiskCacheError) -> Void)? = nil
    ) {
        self.init(folder: folder, byteLimit: byteLimit, now: now, onError: onError, overrides: Overrides())
    }

    init(
        folder: String, byteLimit: Int?, now: @escaping @Sendable () -> WallTime = WallTime.now,
        onError: (@Sendable (DiskCacheError) -> Void)? = nil, overrides: Overrides
    ) {
        self.folder = folder
        self.overrides = overrides
        self.now = now
        self.onError = onError
        state = Mutex(State(byteLimit: byteLimit.map { max(0, $0) }))
    }

    /// Bytes beyond the limit for folders and bookkeeping: 256 folders of a block or two, and 1 % for long ones.
    package static func slack(forLimit byteLimit: Int) -> Int { (2 << 20) + max(0, byteLimit) / 100 }

    /// Returns the entry of a key after checking it; a damaged entry is removed and `nil`.
    package func entry(for key: String) -> CacheEntry? { entry(for: key) { _ in true } }

    /// Returns the entry if `mayRead` accepts the length of its body, which its header states.
    package func entry(for key: String, mayRead: (Int) -> Bool) -> CacheEntry? {
        do throws(FileError) {
            return try read(key, mayRead)
        } catch {
            note(error)
            return nil
        }
    }

    /// Stores an entry, replacing the previous one.
    ///
    /// - Returns: `false` if it is declined: above a tenth of the limit, no room until a sweep ends, or the folder cannot be
    ///   written. The previous entry then stays.
    @discardableResult
    package func store(_ entry: CacheEntry, for key: String) -> Bool {
        guard !isPaused else { return false }
        do throws(FileError) {
            do throws(FileError) {
                return try write(entry, key)
            } catch  where error.code == ENOENT {
                // Another process removed the folder: a new one is created.
                closeFolder()
                return try write(entry, key)
            }
        } catch {
            // Another process holds the count: not an error.
            guard error.code != EWOULDBLOCK else { return false }
            if isLasting(error) {
                let started = now()
                state.withLock { $0.pausedAt = started }
            }
            // A missing folder is an error here.
            report(cacheError(error))
            if error.isDiskFull { askForSweep(makingRoom: true) }
            return false
        }
    }

    package func remove(_ key: String) {
        do throws(FileError) {
            let open = try openFolder()
            let name = EntryName(hash: overrides.hash(key))
            let subfolder = try open.files.subfolder(name.folderNumber)
            do throws(FileError) {
                try Self.remove(name.file, in: subfolder, open.usage)
            } catch  where error.code == EWOULDBLOCK {
                // The count is locked: it stays too high until the next sweep, but the entry is removed.
                try? subfolder.remove(name.file)
            }
        } catch {
            note(error)
        }
    }

    private func read(_ key: String, _ mayRead: (Int) -> Bool) throws(FileError) -> CacheEntry? {
        let open = try openFolder()
        let name = EntryName(hash: overrides.hash(key))
        let subfolder = try open.files.subfolder(name.folderNumber)
        let file = try subfolder.open(name.file)
        let status = try file.status
        guard status.isRegular, overrides.owners.contains(status.owner) else { return nil }
        switch try DiskEntryReader.read(file, size: status.byteCount, key: key, sizeLimit: readLimit, mayRead) {
        case .entry(let entry, _):
            refresh(file, lastUse: status)
            return entry
        case .otherKey, .unread: return nil
        case .damaged(let isOurs):
            report(.damagedEntry(file: "\(folder)/\(name.path)"))
            guard isOurs else { return nil }
            // Another process may have replaced it.
            try Self.remove(name.file, in: subfolder, open.usage) { $0.identity == status.identity }
            return nil
        }
    }

    /// Marks an entry as used, at most hourly; a time in the future comes from a wrong clock.
    private func refresh(_ file: borrowing FileDescriptor, lastUse status: FileStatus) {
        let now = now()
        let age = Self.stamp(status).duration(to: now)
        // In a read-only folder entries look older.
        if age > Self.useGranularity || age < .zero - Self.useGranularity { file.setModified(now.sinceEpoch) }
    }

    func openFolder() throws(FileError) -> OpenFolder {
        if let open = state.withLock({ $0.folder }) { return open }
        return use(try DiskFolder.opening(folder, of: overrides.owners))
    }

    /// The folder, made where it is missing, and marked as a cache.
    func openMadeFolder() throws(FileError) -> OpenFolder {
        let (known, isPrepared) = state.withLock { ($0.folder, $0.isPrepared) }
        if let known, isPrepared { return known }
        let open = if let known { known } else { use(try DiskFolder.making(folder, of: overrides.owners)) }
        open.files.prepare()
        state.withLock { $0.isPrepared = true }
        return open
    }

    private func use(_ files: DiskFolder) -> OpenFolder {
        let opened = OpenFolder(files: files, usage: DiskUsageCounter(folder: files, lock: overrides.lock))
        return state.withLock { state in
            // Two threads may open it concurrently; one counter serialises them.
            if let open = state.folder { return open }
            state.folder = opened
            return opened
        }
    }

    private func closeFolder() {
        state.withLock { state in
            state.folder = nil
            state.isPrepared = false
        }
    }

    var byteLimit: Int {
        if let limit = state.withLock({ $0.byteLimit }) { return limit }
        let limit = Self.automaticByteLimit(near: folder)
        return state.withLock { state in
            state.byteLimit = state.byteLimit ?? limit
            return state.byteLimit ?? limit
        }
    }

    /// The limit of a cache in `folder` unless one is given, by the free space now.
    package static func automaticByteLimit(near folder: String) -> Int {
        min(defaultByteLimit, (Folder.freeBytes(near: folder) ?? 0) / 100 * defaultShareOfFreeSpace)
    }

    var readLimit: Int { max(Self.readableByteCount, byteLimit / Self.entryShare) }

    private var isPaused: Bool {
        guard let start = state.withLock({ $0.pausedAt }) else { return false }
        return Self.isWithin(Self.writeBackoff, of: start, now())
    }

    /// Less than `duration` after the start; a clock that was set back ends every pause.
    static func isWithin(_ duration: Duration, of start: WallTime, _ now: WallTime) -> Bool {
        let passed = start.duration(to: now)
        return passed >= .zero && passed < duration
    }

    /// Bytes that a file counts as: whole blocks.
    static func charge(_ byteCount: Int) -> Int {
        let bytes = min(max(1, byteCount), maxCharge)
        return (bytes + blockByteCount - 1) / blockByteCount * blockByteCount
    }

    /// Adds charges; clamps at the maximum.
    static func sum(_ charges: Int, _ charge: Int) -> Int {
        let (sum, overflows) = charges.addingReportingOverflow(charge)
        return overflows ? .max : sum
    }
}

/// Stores entries of bytes under keys: `DiskCache`, or memory in a test.
///
/// A store may drop entries at any time and never returns bytes that were not stored. Its calls may block on a disk: call it on a
/// `ThreadPool`, never on the cooperative pool. Thread-safe.
package protocol ByteStore: Sendable {
    func entry(for key: String) -> CacheEntry?

    /// Returns the entry if `mayRead` accepts the length of its body; a store with bodies in memory need not ask.
    func entry(for key: String, mayRead: (Int) -> Bool) -> CacheEntry?

    /// Stores an entry, replacing the previous one; returns `false` if it is declined.
    @discardableResult
    func store(_ entry: CacheEntry, for key: String) -> Bool

    func remove(_ key: String)
}

extension ByteStore {
    package func entry(for key: String, mayRead: (Int) -> Bool) -> CacheEntry? { entry(for: key) }
}

/// The metadata and body of one key.
package struct CacheEntry: Hashable, Sendable {
    /// The owner's own data, in its own format.
    package var metadata: [UInt8]
    package var body: [UInt8]
    /// Whether the body is only the beginning of one; never use it as complete.
    package var isPartial: Bool

    package init(metadata: [UInt8], body: [UInt8], isPartial: Bool = false) {
        self.metadata = metadata
        self.body = body
        self.isPartial = isPartial
    }
}
