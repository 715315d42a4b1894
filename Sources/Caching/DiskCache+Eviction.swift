internal import Glibc
internal import SpyglassFiles
internal import SpyglassThreads

/// One process at a time sweeps; it lists names and times and opens only what it removes: 2 µs for an entry that stays.
extension DiskCache {
    /// The result of an eviction.
    public struct RemovalResult: Hashable, Sendable {
        /// Removed entries.
        public var entries = 0
        /// Removed temporary files of killed writers.
        package var temporaryFiles = 0
        /// Freed bytes, counted in blocks.
        public var bytes = 0
        /// Bytes of the remaining entries and temporary files, counted in blocks.
        public var remainingBytes = 0
        /// Files with an entry's name that are not entries; they stay.
        package var unrecognizedFiles = 0
    }

    /// Removes the least recently used entries until no more than `bytes` are left, on the caller's thread.
    ///
    /// - Throws: `DiskCacheError`, `busy` when another process is sweeping.
    @discardableResult
    public func trim(toBytes bytes: Int) throws(DiskCacheError) -> RemovalResult {
        try maintain { open throws(FileError) in try sweep(open, to: max(0, bytes)) } ?? RemovalResult()
    }

    /// Removes all entries of any version; other files and the sub-folders stay.
    ///
    /// - Throws: `DiskCacheError`, `busy` when another process is sweeping.
    @discardableResult public func clear() throws(DiskCacheError) -> RemovalResult { try trim(toBytes: 0) }

    /// `nil` if the folder is missing.
    func maintain<Value: Sendable>(_ body: (OpenFolder) throws(FileError) -> Value) throws(DiskCacheError) -> Value? {
        do throws(FileError) {
            return try body(try openFolder())
        } catch {
            if error.code == ENOENT { return nil }
            throw cacheError(error)
        }
    }

    /// Starts a sweep, unless one is running or has just made too little room; `makingRoom` also removes entries below the limit.
    func askForSweep(makingRoom: Bool = false) {
        let now = now()
        let isNeeded = state.withLock { state in
            if state.isSweeping { return false }
            if let last = state.futileSweepAt, Self.isWithin(Self.writeBackoff, of: last, now) { return false }
            state.isSweeping = true
            return true
        }
        guard isNeeded else { return }
        guard !overrides.sweepsAtOnce else { return sweepOnce(makingRoom: makingRoom) }
        Task { [weak self, sweeper] in
            try? await sweeper.run { _ in self?.sweepOnce(makingRoom: makingRoom) }
        }
    }

    private func sweepOnce(makingRoom: Bool) {
        var isFutile = false
        do throws(FileError) {
            let limit = byteLimit
            let open = try openFolder()
            let before = try open.usage.withCount { $0.bytes } ?? limit
            let base = makingRoom ? min(limit, before) : limit
            let removal = try sweep(
                open, to: Self.share(Self.lowWatermark, of: base),
                onlyAbove: makingRoom ? nil : Self.share(Self.highWatermark, of: limit))
            isFutile = removal.remainingBytes > Self.share(Self.highWatermark, of: limit)
        } catch {
            // Another process may be sweeping.
            note(error)
            isFutile = error.code != EWOULDBLOCK
        }
        let finished = now()
        state.withLock { state in
            state.isSweeping = false
            state.futileSweepAt = isFutile ? finished : nil
        }
    }

    private struct Candidate {
        let name: EntryName
        let lastUse: WallTime
        /// The file's time: identifies it when it is removed.
        let stamp: WallTime
        let charge: Int
    }

    /// Recounts, removes abandoned temporary files, then entries until `target` if there are more bytes than `threshold`.
    private func sweep(_ open: OpenFolder, to target: Int, onlyAbove threshold: Int? = nil) throws(FileError)
        -> RemovalResult
    {
        let lock = try open.files.sharedFile(DiskFolder.sweepingName)
        try checked("flock") { overrides.lock(lock.number, LOCK_EX | LOCK_NB) }
        let addedBefore = try open.usage.withCount { $0.added }
        let now = now()
        var removal = RemovalResult()
        var candidates: [Candidate] = []
        // A sub-folder is listed under the lock: a file that is renamed is listed under one of its names.
        try open.files.forEachFile(while: open.usage) { subfolder, file, number, status throws(FileError) in
            let charge = Self.charge(status.byteCount)
            if EntryName.isTemporary(file) {
                guard try removeAbandoned(file, in: subfolder, open) else {
                    removal.remainingBytes = Self.sum(removal.remainingBytes, charge)
                    return
                }
                removal.temporaryFiles += 1
                removal.bytes = Self.sum(removal.bytes, charge)
            } else if let name = EntryName(file: file, in: number) {
                let stamp = Self.correctedTime(status, of: file, in: subfolder, now)
                candidates.append(Candidate(name: name, lastUse: min(stamp, now), stamp: stamp, charge: charge))
                removal.remainingBytes = Self.sum(removal.remainingBytes, charge)
            }
        }
        // An error of one file does not protect the others.
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
        // Bytes added during the sweep may be counted twice: too high until the next sweep. Removed bytes are not
        // subtracted, since their files may not be listed.
        try open.usage.withCount { count throws(FileError) in
            guard count.added >= addedBefore else { return }
            try count.set(Self.sum(removal.remainingBytes, Int(clamping: count.added - addedBefore)), recounted: now)
        }
        if let failure, removal.remainingBytes > target { throw failure }
        return removal
    }

    /// Its writer holds the lock while it lives.
    private func removeAbandoned(
        _ file: String, in folder: borrowing Folder, _ open: OpenFolder
    ) throws(FileError) -> Bool {
        try open.usage.withCount { count throws(FileError) in
            // Opened for writing: NFS requires it for an exclusive lock (flock(2)).
            guard let descriptor = try? folder.open(file, [.readAndWrite, .nonBlocking]),
                let status = try? descriptor.status,
                overrides.lock(descriptor.number, LOCK_EX | LOCK_NB) == 0, (try? folder.remove(file)) != nil
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
            let outcome = try Self.remove(candidate.name.file, in: subfolder, open.usage) {
                Self.stamp($0) == candidate.stamp
            }
            switch outcome {
            case .removed:
                removal.entries += 1
                removal.bytes = Self.sum(removal.bytes, candidate.charge)
                removal.remainingBytes -= candidate.charge
            case .foreign: removal.unrecognizedFiles += 1
            // Used or replaced since it was listed.
            case .notMeant: break
            }
        } catch  where error.code == ENOENT {
            removal.remainingBytes -= candidate.charge
        }
    }

    /// The file's time.
    ///
    /// One in the future comes from a wrong clock and is corrected: it would prevent eviction.
    private static func correctedTime(
        _ status: FileStatus, of file: String, in folder: borrowing Folder, _ now: WallTime
    ) -> WallTime {
        let stamp = stamp(status)
        guard stamp > now.advanced(by: useGranularity), let entry = try? folder.open(file) else { return stamp }
        entry.setModified(now.sinceEpoch)
        // File systems limit times: ext4 begins in 1901.
        return (try? entry.status).map { Self.stamp($0) } ?? stamp
    }
}
