internal import Glibc
internal import SpyglassFiles

/// Files are added and removed under the counter's lock, so that the count is exact.
extension DiskCache {
    /// A file that is being written: counted in full, locked by its writer.
    private struct Temporary: ~Copyable {
        let file: FileDescriptor
        let name: String
        let charge: Int
    }

    func write(_ entry: CacheEntry, _ key: String) throws(FileError) -> Bool {
        guard key.utf8.count <= DiskEntryHeader.keyLimit, entry.metadata.count <= DiskEntryHeader.metadataLimit else {
            return false
        }
        // Checked before the checksum is computed.
        let size = DiskEntryHeader.byteCount + key.utf8.count + entry.metadata.count + entry.body.count
        guard Self.charge(size) <= byteLimit / Self.entryShare else { return false }
        let open = try openMadeFolder()
        let name = EntryName(hash: overrides.hash(key))
        let subfolder = try open.files.subfolder(name.folderNumber, isMade: true)
        let head = DiskEntryHeader.head(of: entry, key: key)
        guard let temporary = try reserve(size, open, subfolder) else { return false }
        do throws(FileError) {
            try temporary.file.write(head, entry.body, with: overrides.write)
            temporary.file.setModified(now().sinceEpoch)
            try commit(temporary, as: name.file, open, subfolder)
            return true
        } catch {
            removeTemporary(temporary, open, subfolder)
            throw error
        }
    }

    /// Counts and makes a file, `nil` without room; starts a sweep before the limit is reached.
    private func reserve(
        _ size: Int, _ open: OpenFolder, _ subfolder: borrowing Folder
    ) throws(FileError) -> Temporary? {
        let charge = Self.charge(size)
        let name = EntryName.newTemporary()
        var file: FileDescriptor?
        let isDue = try open.usage.withCount { count throws(FileError) in
            if count.bytes == nil, try open.files.isFresh() { try count.set(0, recounted: now()) }
            guard let bytes = count.bytes, bytes <= byteLimit - charge else { return true }
            // Counted first: a writer killed in between leaves the count too high.
            try count.add(charge)
            do throws(FileError) {
                file = try makeTemporary(name, size: size, in: subfolder)
            } catch {
                count.subtract(charge)
                throw error
            }
            return isSweepDue(count)
        }
        if isDue { askForSweep() }
        guard let file = file.take() else { return nil }
        return Temporary(file: file, name: name, charge: charge)
    }

    private func isSweepDue(_ count: borrowing DiskUsage) -> Bool {
        guard let bytes = count.bytes else { return true }
        return bytes > Self.share(Self.highWatermark, of: byteLimit)
            || !Self.isWithin(Self.recountInterval, of: count.recounted, now())
    }

    /// Makes a locked file of full length, so that a sweep counts it right; the lock ends with its writer.
    private func makeTemporary(
        _ name: String, size: Int, in folder: borrowing Folder
    ) throws(FileError) -> FileDescriptor {
        let file = try folder.open(name, [.write, .create, .exclusive], permissions: 0o600)
        do throws(FileError) {
            try checked("flock") { overrides.lock(file.number, LOCK_EX | LOCK_NB) }
            try file.truncate(to: size)
        } catch {
            try? folder.remove(name)
            throw error
        }
        return file
    }

    private func commit(
        _ temporary: borrowing Temporary, as name: String, _ open: OpenFolder, _ folder: borrowing Folder
    ) throws(FileError) {
        // Held open: its blocks are freed after the count is unlocked.
        let replaced = try? folder.open(name)
        defer { extendLifetime(replaced) }
        try open.usage.withCount { count throws(FileError) in
            let old = try? folder.status(of: name)
            try folder.move(temporary.name, to: name, in: folder)
            if let old, old.isRegular { count.subtract(Self.charge(old.byteCount)) }
        }
    }

    private func removeTemporary(_ temporary: borrowing Temporary, _ open: OpenFolder, _ folder: borrowing Folder) {
        do throws(FileError) {
            try open.usage.withCount { count throws(FileError) in
                // If another process removed the file, it has subtracted its bytes.
                if (try? folder.remove(temporary.name)) != nil { count.subtract(temporary.charge) }
            }
        } catch {
            // The count is locked: it stays too high until the next sweep, but the disk may be full.
            try? folder.remove(temporary.name)
        }
    }

    enum RemovalOutcome {
        case removed
        /// Another file has the name now.
        case notMeant
        /// Not an entry.
        case foreign
    }

    /// Removes a file if it is ours; `isMeant` checks the one that has the name now.
    @discardableResult
    static func remove(
        _ name: String, in folder: borrowing Folder, _ usage: DiskUsageCounter,
        if isMeant: (FileStatus) -> Bool = { _ in true }
    ) throws(FileError) -> RemovalOutcome {
        // Open until the count is unlocked: closing a removed file frees its blocks, which may take milliseconds.
        let file = try folder.open(name)
        let opened = try file.status
        guard opened.isRegular, try DiskEntryReader.isOurs(file) else { return .foreign }
        return try usage.withCount { count throws(FileError) in
            let status = try folder.status(of: name)
            guard status.identity == opened.identity, isMeant(status) else { return .notMeant }
            try folder.remove(name)
            count.subtract(charge(status.byteCount))
            return .removed
        }
    }

    /// Last use (mtime).
    static func stamp(_ status: FileStatus) -> WallTime { WallTime(milliseconds: 0).advanced(by: status.modified) }
    static func share(_ percent: Int, of bytes: Int) -> Int { bytes / 100 * percent + bytes % 100 * percent / 100 }
}
