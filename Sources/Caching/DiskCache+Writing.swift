internal import Glibc

/// How an entry comes into the folder, and how any file leaves it.
///
/// Both happen under the ledger's lock, so that the count is exact whoever else is at work.
extension DiskCache {
    /// An entry's file before it has its name: counted in full, and locked by its writer.
    private struct Temporary: ~Copyable {
        let file: FileDescriptor
        let name: String
        let charge: Int
    }

    /// Writes an entry to a temporary file beside its place and renames it.
    func write(_ entry: CacheEntry, _ key: String) throws(SystemFailure) -> Bool {
        guard key.utf8.count <= DiskEntryHeader.keyLimit, entry.metadata.count <= DiskEntryHeader.metadataLimit else {
            return false
        }
        // Before the entry's checksum is computed: it may be far too large.
        let size = DiskEntryHeader.byteCount + key.utf8.count + entry.metadata.count + entry.body.count
        guard Self.charge(size) <= byteLimit / Self.entryShare else { return false }
        let open = try openMadeFolder()
        let name = EntryName(hash: world.hash(key))
        let subfolder = try open.files.subfolder(name.folderNumber, isMade: true)
        let head = DiskEntryHeader.head(of: entry, key: key)
        guard let temporary = try reserve(size, open, subfolder) else { return false }
        do throws(SystemFailure) {
            try write(head, entry.body, to: temporary.file)
            Self.setTime(of: temporary.file, now())
        } catch {
            // The failure that matters is the first.
            try? withdraw(temporary, open, subfolder)
            throw error
        }
        try commit(temporary, as: name.file, open, subfolder)
        return true
    }

    /// Makes a temporary file where there is room for it; asks for a sweep where there soon is none.
    private func reserve(
        _ size: Int, _ open: OpenFolder, _ subfolder: borrowing FileDescriptor
    ) throws(SystemFailure) -> Temporary? {
        let charge = Self.charge(size)
        for isRetry in [false, true] {
            var descriptor: Int32 = -1
            let name = EntryName.newTemporary()
            let folder = subfolder.number
            let isDue = try open.ledger.withCount { count throws(SystemFailure) in
                if count.bytes == nil, try open.files.isFresh() { try count.set(0, recounted: now()) }
                guard let bytes = count.bytes, bytes <= byteLimit - charge else { return true }
                // Counted before it is there: whoever dies in between leaves the count too high.
                try count.add(charge)
                do throws(SystemFailure) {
                    descriptor = try makeTemporary(name, size: size, in: folder)
                } catch {
                    count.subtract(charge)
                    throw error
                }
                return isSweepDue(count)
            }
            let isDone = isDue && askForSweep()
            if descriptor >= 0 {
                return Temporary(file: try FileDescriptor(taking: descriptor), name: name, charge: charge)
            }
            guard isDone, !isRetry else { return nil }
        }
        return nil
    }

    private func isSweepDue(_ count: DiskUsage) -> Bool {
        guard let bytes = count.bytes else { return true }
        return bytes > Self.share(Self.highWatermark, of: byteLimit)
            || !Self.isWithin(Self.recountInterval, of: count.recounted, now())
    }

    /// Makes a file of full length, so that a sweep counts it right at once, and locks it: the lock goes with its writer.
    private func makeTemporary(_ name: String, size: Int, in folder: Int32) throws(SystemFailure) -> Int32 {
        let descriptor = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure.last }
        if world.lock(descriptor, LOCK_EX | LOCK_NB) == 0, ftruncate(descriptor, size) == 0 { return descriptor }
        let failure = SystemFailure.last
        unlinkat(folder, name, 0)
        close(descriptor)
        throw failure
    }

    private func write(
        _ head: [UInt8], _ body: [UInt8], to file: borrowing FileDescriptor
    ) throws(SystemFailure) {
        let failure = head.withUnsafeBytes { head in
            body.withUnsafeBytes { body in write([head, body], to: file.number) }
        }
        if let failure { throw failure }
    }

    /// Writes both parts, in as few calls as the system takes.
    private func write(_ parts: [UnsafeRawBufferPointer], to descriptor: Int32) -> SystemFailure? {
        var rest = parts.filter { !$0.isEmpty }
        while !rest.isEmpty {
            // `writev` only reads from what it is given.
            let vectors = rest.map { iovec(iov_base: .init(mutating: $0.baseAddress), iov_len: $0.count) }
            var written = world.write(descriptor, vectors, Int32(vectors.count))
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return written < 0 ? .last : SystemFailure(code: ENOSPC) }
            while let part = rest.first, written > 0 {
                let count = min(written, part.count)
                rest[0] = UnsafeRawBufferPointer(rebasing: part.dropFirst(count))
                if rest[0].isEmpty { rest.removeFirst() }
                written -= count
            }
        }
        return nil
    }

    /// Gives a finished file its name, in one step.
    private func commit(
        _ temporary: borrowing Temporary, as name: String, _ open: OpenFolder, _ subfolder: borrowing FileDescriptor
    ) throws(SystemFailure) {
        let (folder, temporaryName, charge) = (subfolder.number, temporary.name, temporary.charge)
        // Its blocks, too, are freed after the count is let go.
        let replaced = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        defer { if replaced >= 0 { close(replaced) } }
        do throws(SystemFailure) {
            try open.ledger.withCount { count throws(SystemFailure) in
                var old = stat()
                let isReplaced = fstatat(folder, name, &old, AT_SYMLINK_NOFOLLOW) == 0 && old.isPlainFile
                guard renameat(folder, temporaryName, folder, name) == 0 else {
                    let failure = SystemFailure.last
                    // Whoever removed it has subtracted it.
                    if unlinkat(folder, temporaryName, 0) == 0 { count.subtract(charge) }
                    throw failure
                }
                if isReplaced { count.subtract(Self.charge(Int(old.st_size))) }
            }
        } catch {
            // Nobody lets go of the count: it stays too high until the next sweep.
            if error.code == EWOULDBLOCK { unlinkat(folder, temporaryName, 0) }
            throw error
        }
    }

    private func withdraw(
        _ temporary: borrowing Temporary, _ open: OpenFolder, _ subfolder: borrowing FileDescriptor
    ) throws(SystemFailure) {
        let (folder, name, charge) = (subfolder.number, temporary.name, temporary.charge)
        do throws(SystemFailure) {
            try open.ledger.withCount { count throws(SystemFailure) in
                if unlinkat(folder, name, 0) == 0 { count.subtract(charge) }
            }
        } catch {
            // Nobody lets go of the count: it stays too high until the next sweep, but the disk may be full.
            unlinkat(folder, name, 0)
            throw error
        }
    }

    // MARK: Files

    /// Opens a file of a sub-folder, to read it unless said otherwise.
    static func openFile(
        _ name: String, in folder: Int32, _ access: Int32 = O_RDONLY
    ) throws(SystemFailure) -> FileDescriptor {
        // A pipe must not make the call wait for a writer.
        try FileDescriptor(taking: openat(folder, name, access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
    }

    /// What became of a file that was to be removed.
    enum RemovalOutcome {
        case removed
        /// It is not the one that was meant, and stays.
        case notMeant
        /// It is none of ours, and stays.
        case foreign
    }

    /// Removes a file if it is one of ours; `isMeant` is asked about the one that is there now.
    @discardableResult
    static func remove(
        _ name: String, in folder: Int32, _ ledger: DiskUsageCounter, if isMeant: (stat) -> Bool = { _ in true }
    ) throws(SystemFailure) -> RemovalOutcome {
        // Open until the count is let go: the system frees a removed file's blocks when it is closed, which may take milliseconds.
        let file = try openFile(name, in: folder)
        let opened = try file.status
        guard opened.isPlainFile, try DiskEntryReader.isOurs(file) else { return .foreign }
        return try ledger.withCount { count throws(SystemFailure) in
            var status = stat()
            guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw SystemFailure.last }
            guard status.st_ino == opened.st_ino, isMeant(status) else { return .notMeant }
            guard unlinkat(folder, name, 0) == 0 else { throw SystemFailure.last }
            count.subtract(charge(Int(status.st_size)))
            return .removed
        }
    }

    /// Sets a file's time of last use (`futimens`).
    static func setTime(of file: borrowing FileDescriptor, _ time: WallTime) {
        let rest = (time.milliseconds % 1000 + 1000) % 1000
        let stamp = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(rest) * 1_000_000)
        futimens(file.number, [stamp, stamp])
    }

    /// A share of a number of bytes, in percent.
    static func share(_ percent: Int, of bytes: Int) -> Int {
        bytes / 100 * percent + bytes % 100 * percent / 100
    }
}
