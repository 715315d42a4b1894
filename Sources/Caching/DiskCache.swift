internal import Glibc
internal import SpyglassFiles
internal import SpyglassThreads

/// Entries of bytes in a folder that survives the process and that several processes may share.
///
///     let cache = DiskCache(folder: "/home/ada/.cache/spyglass")
///     cache.store(CacheEntry(metadata: headers, body: bytes), for: address)
///     cache.entry(for: address)?.body
///
/// An entry is one file with checksums over everything: what was torn, cut or changed is a miss and is removed, and no wrong byte is
/// given out. That is why nothing is flushed to the disk (`fsync`), which would cost milliseconds an entry: after a crash of
/// the system some entries are gone. Two keys of one hash displace each other.
///
/// The entries of all processes together, temporary files included, keep below `byteLimit` at every moment, each counted in
/// blocks of 4 KiB; what the folders themselves take comes on top (`slack(forLimit:)`). At nine tenths of the limit a thread of its
/// own removes what was used longest ago, down to eight tenths; an entry that finds no room meanwhile is declined.
///
/// Calls block on the disk; thread-safe. On a tmpfs, 40 KB are read in 15 µs of CPU and stored in 50; a disk's file system adds its own.
/// Problems never reach the caller of `entry`, `store` or `remove`: they are reported, each kind once.
public final class DiskCache: ByteStore {
    /// Limit where none was given: the smaller of this (1 GiB) and `defaultShareOfFreeSpace`.
    public static let defaultByteLimit = 1 << 30
    /// Limit where none was given, in percent of the free space at first use.
    public static let defaultShareOfFreeSpace = 2
    /// A sweep starts at this share of the limit, in percent.
    public static let highWatermark = 90
    /// A sweep stops at this share of the limit, in percent.
    public static let lowWatermark = 80
    /// Entries above the limit divided by this are not kept, since they would displace too many others.
    public static let entryShare = 10
    /// What an entry is counted in, in bytes: the block of most file systems.
    public static let blockByteCount = 4096
    /// What a larger file is counted as (1 TiB): a sparse one may say that it has 2^63 bytes, and the sum of two must still be one.
    static let maxCharge = 1 << 40
    /// How much older than its last use an entry may look: its time (mtime) is refreshed no sooner than this.
    public static let useGranularity: Duration = .seconds(3600)
    /// How long nothing is written after a write failed.
    public static let writeBackoff: Duration = .seconds(60)
    /// How long a count is believed before a sweep counts afresh.
    static let recountInterval: Duration = .seconds(24 * 3600)
    /// Largest file that is read whatever the limit, so that a smaller limit does not lose entries: a body of 64 MiB and its head.
    static let readableByteCount = (64 << 20) + DiskEntryHeader.keyLimit + DiskEntryHeader.metadataLimit

    /// What tests replace.
    struct World: Sendable {
        /// A key's hash.
        var hash: @Sendable (String) -> UInt64 = { FNV1a.hash($0) }
        var write = FileDescriptor.writeCall
        /// `flock`.
        var lock: DiskFolder.Lock = { flock($0, $1) }
        /// Sweeps are done before the call that asked for them returns, not on a thread of their own.
        var sweepsAtOnce = false
    }

    struct State {
        var folder: OpenFolder?
        /// The folder is marked as a cache.
        var isPrepared = false
        var byteLimit: Int?
        /// When a write failed; nothing is written for a while.
        var pausedAt: WallTime?
        /// When a sweep could not make room; another is not asked for at once.
        var futileSweepAt: WallTime?
        var isSweeping = false
        /// The kinds of problems that were reported.
        var reported: UInt8 = 0
    }

    /// The folder and its count; kept open until the last call that uses them returns.
    struct OpenFolder: Sendable {
        let files: DiskFolder
        let ledger: DiskUsageCounter
    }

    /// The folder's path, as it was given.
    public let folder: String
    let world: World
    let now: @Sendable () -> WallTime
    let state: Mutex<State>
    let sweeper = ThreadPool(count: 1)
    let onError: (@Sendable (DiskCacheError) -> Void)?

    /// A cache in a folder; touches nothing before the first call.
    ///
    /// - Parameters:
    ///   - folder: made with its parents at the first `store`. It may be a link to a folder; below it no link is followed.
    ///   - byteLimit: bytes that all entries may take together. By default the smaller of 1 GiB and 2 % of the free space, asked at first use.
    ///   - now: the calendar, for last uses and pauses.
    ///   - onError: is told once of each kind of problem, on the thread of the call that met it.
    public convenience init(
        folder: String, byteLimit: Int? = nil, now: @escaping @Sendable () -> WallTime = WallTime.now,
        onError: (@Sendable (DiskCacheError) -> Void)? = nil
    ) {
        self.init(folder: folder, byteLimit: byteLimit, now: now, onError: onError, world: World())
    }

    init(
        folder: String, byteLimit: Int?, now: @escaping @Sendable () -> WallTime = WallTime.now,
        onError: (@Sendable (DiskCacheError) -> Void)? = nil, world: World
    ) {
        self.folder = folder
        self.world = world
        self.now = now
        self.onError = onError
        state = Mutex(State(byteLimit: byteLimit.map { max(0, $0) }))
    }

    /// Bytes beyond the limit that folders and bookkeeping may take: 256 folders of a block or two, and a hundredth for long ones.
    public static func slack(forLimit byteLimit: Int) -> Int { (2 << 20) + max(0, byteLimit) / 100 }

    // MARK: ByteStore

    /// What is kept under a key, read and checked; `nil` too when it was damaged, which removes it.
    public func entry(for key: String) -> CacheEntry? {
        do throws(FileError) {
            return try read(key)
        } catch {
            note(error)
            return nil
        }
    }

    /// Keeps an entry in place of what was there before.
    ///
    /// - Returns: `false` when it is declined: it is above a tenth of the limit, there is no room until a sweep is done, or the folder cannot
    ///   be written to. What was there before then stays.
    @discardableResult
    public func store(_ entry: CacheEntry, for key: String) -> Bool {
        guard !isPaused else { return false }
        do throws(FileError) {
            do throws(FileError) {
                return try write(entry, key)
            } catch  where error.code == ENOENT {
                // Somebody removed the folder while it was open: there will be a new one.
                closeFolder()
                return try write(entry, key)
            }
        } catch {
            // Somebody else holds the count: this entry is declined and nothing is wrong.
            guard error.code != EWOULDBLOCK else { return false }
            if isLasting(error) {
                let started = now()
                state.withLock { $0.pausedAt = started }
            }
            // Here even a path that leads nowhere is a problem.
            report(problem(error))
            if error.isDiskFull { askForSweep(makingRoom: true) }
            return false
        }
    }

    /// Forgets what is kept under a key.
    public func remove(_ key: String) {
        do throws(FileError) {
            let open = try openFolder()
            let name = EntryName(hash: world.hash(key))
            let subfolder = try open.files.subfolder(name.folderNumber)
            do throws(FileError) {
                try Self.remove(name.file, in: subfolder, open.ledger)
            } catch  where error.code == EWOULDBLOCK {
                // The count is locked: it stays too high until the next sweep, but the entry is removed.
                try? subfolder.remove(name.file)
            }
        } catch {
            note(error)
        }
    }

    private func read(_ key: String) throws(FileError) -> CacheEntry? {
        let open = try openFolder()
        let name = EntryName(hash: world.hash(key))
        let subfolder = try open.files.subfolder(name.folderNumber)
        let file = try subfolder.open(name.file)
        let status = try file.status
        guard status.isRegular else { return nil }
        switch try DiskEntryReader.read(file, size: status.byteCount, key: key, sizeLimit: readLimit) {
        case .entry(let entry, _):
            refresh(file, lastUse: status)
            return entry
        case .otherKey, .unread:
            return nil
        case .damaged(let isOurs):
            report(.damagedEntry(file: "\(folder)/\(name.path)"))
            guard isOurs else { return nil }
            // Another process may have put a good one in its place.
            try Self.remove(name.file, in: subfolder, open.ledger) { $0.identity == status.identity }
            return nil
        }
    }

    /// Marks an entry as used, at most hourly; a time in the future comes from a clock that was wrong.
    private func refresh(_ file: borrowing FileDescriptor, lastUse status: FileStatus) {
        let now = now()
        let age = Self.stamp(status).duration(to: now)
        // What cannot be marked, on a folder that can only be read, just looks older.
        if age > Self.useGranularity || age < .zero - Self.useGranularity { file.setModified(Self.sinceEpoch(now)) }
    }

    // MARK: The folder

    /// The folder, opened.
    func openFolder() throws(FileError) -> OpenFolder {
        if let open = state.withLock({ $0.folder }) { return open }
        return use(try DiskFolder.opening(folder))
    }

    /// The folder, made where it is missing, and marked as a cache.
    func openMadeFolder() throws(FileError) -> OpenFolder {
        let (known, isPrepared) = state.withLock { ($0.folder, $0.isPrepared) }
        if let known, isPrepared { return known }
        let open = if let known { known } else { use(try DiskFolder.making(folder)) }
        open.files.prepare()
        state.withLock { $0.isPrepared = true }
        return open
    }

    private func use(_ files: DiskFolder) -> OpenFolder {
        let opened = OpenFolder(files: files, ledger: DiskUsageCounter(folder: files, lock: world.lock))
        return state.withLock { state in
            // Two threads may open it at once; one ledger is enough, and its waits are in turn.
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

    /// The limit in bytes.
    var byteLimit: Int {
        if let limit = state.withLock({ $0.byteLimit }) { return limit }
        let free = Folder.freeBytes(near: folder) ?? 0
        let limit = min(Self.defaultByteLimit, free / 100 * Self.defaultShareOfFreeSpace)
        return state.withLock { state in
            state.byteLimit = state.byteLimit ?? limit
            return state.byteLimit ?? limit
        }
    }

    /// Largest file that memory is taken for.
    var readLimit: Int { max(Self.readableByteCount, byteLimit / Self.entryShare) }

    private var isPaused: Bool {
        guard let start = state.withLock({ $0.pausedAt }) else { return false }
        return Self.isWithin(Self.writeBackoff, of: start, now())
    }

    /// Whether a moment is no further than `duration` after another; a clock that was set back ends every pause.
    static func isWithin(_ duration: Duration, of start: WallTime, _ now: WallTime) -> Bool {
        let passed = start.duration(to: now)
        return passed >= .zero && passed < duration
    }

    /// What a file of so many bytes is counted as.
    static func charge(_ byteCount: Int) -> Int {
        let bytes = min(max(1, byteCount), maxCharge)
        return (bytes + blockByteCount - 1) / blockByteCount * blockByteCount
    }

    /// A sum of charges; what does not fit is clamped.
    static func sum(_ charges: Int, _ charge: Int) -> Int {
        let (sum, overflows) = charges.addingReportingOverflow(charge)
        return overflows ? .max : sum
    }
}
