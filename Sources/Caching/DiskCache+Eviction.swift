internal import Glibc
internal import SpyglassFiles
internal import SpyglassThreads

/// Making room.
///
/// One process at a time sweeps. It lists names and times and opens only what it removes, some 2 µs an entry that stays.
extension DiskCache {
    /// What was removed.
    public struct RemovalResult: Hashable, Sendable {
        /// Entries that are gone.
        public var entries = 0
        /// Temporary files of writers that died, which are gone.
        public var temporaryFiles = 0
        /// Bytes that this freed, counted in blocks.
        public var bytes = 0
        /// Bytes that entries and temporary files take now, counted in blocks.
        public var remainingBytes = 0
        /// Files that stood where an entry could stand, and are none of ours: they stay.
        public var unrecognizedFiles = 0
    }

    /// Removes what was used longest ago until the entries take no more than `bytes`, on the caller's thread.
    ///
    /// - Throws: `DiskCacheError`, `busy` when another process is sweeping.
    @discardableResult
    public func trim(toBytes bytes: Int) throws(DiskCacheError) -> RemovalResult {
        try maintain { open throws(FileError) in try sweep(open, to: max(0, bytes)) } ?? RemovalResult()
    }

    /// Removes all entries, whatever their version; files that are not ours stay, as do the sub-folders.
    ///
    /// - Throws: `DiskCacheError`, `busy` when another process is sweeping.
    @discardableResult
    public func clear() throws(DiskCacheError) -> RemovalResult { try trim(toBytes: 0) }

    /// Does maintenance in a folder; `nil` when there is none.
    func maintain<Value: Sendable>(
        _ body: (OpenFolder) throws(FileError) -> Value
    ) throws(DiskCacheError) -> Value? {
        do throws(FileError) {
            return try body(try openFolder())
        } catch {
            if error.code == ENOENT { return nil }
            throw problem(error)
        }
    }

    /// Asks for a sweep; `true` when it is already over.
    ///
    /// With `makingRoom`, because the disk is full, the entries shrink whatever the limit.
    @discardableResult
    func askForSweep(makingRoom: Bool = false) -> Bool {
        let now = now()
        let isNeeded = state.withLock { state in
            if state.isSweeping { return false }
            if let last = state.futileSweepAt, Self.isWithin(Self.writeBackoff, of: last, now) { return false }
            state.isSweeping = true
            return true
        }
        guard isNeeded else { return false }
        if world.sweepsAtOnce {
            sweepOnce(makingRoom: makingRoom)
            return true
        }
        Task { [weak self, sweeper] in
            try? await sweeper.run { _ in self?.sweepOnce(makingRoom: makingRoom) }
        }
        return false
    }

    private func sweepOnce(makingRoom: Bool) {
        var isFutile = false
        do throws(FileError) {
            let limit = byteLimit
            let open = try openFolder()
            let before = try open.ledger.withCount { $0.bytes } ?? limit
            let base = makingRoom ? min(limit, before) : limit
            let removal = try sweep(
                open, to: Self.share(Self.lowWatermark, of: base),
                onlyAbove: makingRoom ? nil : Self.share(Self.highWatermark, of: limit))
            isFutile = removal.remainingBytes > Self.share(Self.highWatermark, of: limit)
        } catch {
            // Another process sweeps: that is as good.
            note(error)
            isFutile = error.code != EWOULDBLOCK
        }
        let finished = now()
        state.withLock { state in
            state.isSweeping = false
            state.futileSweepAt = isFutile ? finished : nil
        }
    }

    /// A file that may have to go.
    private struct Candidate {
        let name: EntryName
        let lastUse: WallTime
        /// The time the file bears, by which it is known again.
        let stamp: WallTime
        let charge: Int
    }

    /// Counts all files, removes those of dead writers, and then entries until no more than `target` bytes are left.
    ///
    /// Entries stay when there are no more bytes than `threshold`, which is the target by default.
    private func sweep(_ open: OpenFolder, to target: Int, onlyAbove threshold: Int? = nil) throws(FileError)
        -> RemovalResult
    {
        let lock = try open.files.sharedFile(DiskFolder.sweepingName)
        try checked("flock") { world.lock(lock.number, LOCK_EX | LOCK_NB) }
        let addedBefore = try open.ledger.withCount { $0.added }
        let now = now()
        var removal = RemovalResult()
        var candidates: [Candidate] = []
        // A sub-folder is listed while nobody can rename in it: what is there before it is listed is listed, under one name or the other.
        try open.files.forEachFile(while: open.ledger) { subfolder, file, number, status throws(FileError) in
            let charge = Self.charge(status.byteCount)
            if EntryName.isTemporary(file) {
                guard try removeAbandoned(file, in: subfolder, open) else {
                    removal.remainingBytes = Self.sum(removal.remainingBytes, charge)
                    return
                }
                removal.temporaryFiles += 1
                removal.bytes = Self.sum(removal.bytes, charge)
            } else if let name = EntryName(file: file, in: number) {
                let stamp = Self.mendedStamp(status, of: file, in: subfolder, now)
                candidates.append(Candidate(name: name, lastUse: min(stamp, now), stamp: stamp, charge: charge))
                removal.remainingBytes = Self.sum(removal.remainingBytes, charge)
            }
        }
        // Of one file or sub-folder as a rule, which does not keep the others.
        var failure: FileError?
        if removal.remainingBytes > threshold ?? target {
            candidates.sort { ($0.lastUse, $0.name.hash) < ($1.lastUse, $1.name.hash) }
            for candidate in candidates where removal.remainingBytes > target {
                do throws(FileError) {
                    try remove(candidate, open, &removal)
                } catch {
                    guard error.code != EWOULDBLOCK else { throw error }
                    failure = failure ?? error
                }
            }
        }
        // What others added meanwhile may be listed too: then the count is too high, which the next sweep mends. What they
        // removed is not subtracted, since it may not be listed.
        try open.ledger.withCount { count throws(FileError) in
            guard count.added >= addedBefore else { return }
            try count.set(Self.sum(removal.remainingBytes, Int(clamping: count.added - addedBefore)), recounted: now)
        }
        if let failure, removal.remainingBytes > target { throw failure }
        return removal
    }

    /// Removes a temporary file whose writer is dead; one that lives holds its lock.
    private func removeAbandoned(
        _ file: String, in folder: borrowing Folder, _ open: OpenFolder
    ) throws(FileError) -> Bool {
        try open.ledger.withCount { count throws(FileError) in
            // To write, though nothing is written: NFS gives a lock of its own kind (flock(2)) for no less.
            guard let descriptor = try? folder.open(file, O_RDWR | O_NONBLOCK), let status = try? descriptor.status,
                world.lock(descriptor.number, LOCK_EX | LOCK_NB) == 0, (try? folder.remove(file)) != nil
            else { return false }
            count.subtract(Self.charge(status.byteCount))
            return true
        }
    }

    private func remove(_ candidate: Candidate, _ open: OpenFolder, _ removal: inout RemovalResult)
        throws(FileError)
    {
        guard let subfolder = try open.files.existingSubfolder(candidate.name.folderNumber) else { return }
        do throws(FileError) {
            let outcome = try Self.remove(candidate.name.file, in: subfolder, open.ledger) {
                Self.stamp($0) == candidate.stamp
            }
            switch outcome {
            case .removed:
                removal.entries += 1
                removal.bytes = Self.sum(removal.bytes, candidate.charge)
                removal.remainingBytes -= candidate.charge
            case .foreign: removal.unrecognizedFiles += 1
            // It was used or replaced since it was listed.
            case .notMeant: break
            }
        } catch  where error.code == ENOENT {
            removal.remainingBytes -= candidate.charge
        }
    }

    /// The time an entry's file bears; one in the future comes from a clock that was wrong, and would keep the entry for ever.
    private static func mendedStamp(_ status: FileStatus, of file: String, in folder: borrowing Folder, _ now: WallTime)
        -> WallTime
    {
        let stamp = stamp(status)
        guard stamp > now.advanced(by: useGranularity), let entry = try? folder.open(file) else {
            return stamp
        }
        entry.setModified(sinceEpoch(now))
        // A file system has limits of its own: ext4 knows no time before 1901.
        return (try? entry.status).map { Self.stamp($0) } ?? stamp
    }
}
