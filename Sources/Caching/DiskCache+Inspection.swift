internal import Glibc
internal import SpyglassFiles

extension DiskCache {
    /// Names and sizes of a folder.
    package struct Statistics: Hashable, Sendable {
        /// Complete and partial entries.
        package var entries = 0
        /// Bytes of entries and temporary files, in blocks of 4 KiB.
        package var bytes = 0
        /// Files of current and killed writers.
        package var temporaryFiles = 0
        package var byteLimit: Int
        /// The path as it was given.
        package var folder: String
    }

    /// Contents of all entries.
    package struct Verification: Hashable, Sendable {
        /// Undamaged entries.
        package var entries = 0
        /// Bytes of their bodies, metadata and keys.
        package var bytes = 0
        /// Partial entries among them.
        package var prefixes = 0
        /// Entries that cannot be checked: of another version, too large or unreadable; they stay.
        package var unread = 0
        /// Paths in the folder of damaged entries, which are removed.
        package var damaged: [String] = []
        /// Paths in the folder of files with an entry's name that are not entries; they stay.
        package var foreign: [String] = []
    }

    /// Counts entries by names and sizes, 2 µs each; a missing folder is empty.
    ///
    /// - Throws: `DiskCacheError` when the folder cannot be read.
    package func statistics() throws(DiskCacheError) -> Statistics {
        var statistics = Statistics(byteLimit: byteLimit, folder: folder)
        _ = try maintain { open throws(FileError) in
            try open.files.forEachFile { _, file, number, status throws(FileError) in
                if EntryName.isTemporary(file) {
                    statistics.temporaryFiles += 1
                } else if EntryName(file: file, in: number) != nil {
                    statistics.entries += 1
                } else {
                    return
                }
                statistics.bytes = Self.sum(statistics.bytes, Self.charge(status.byteCount))
            }
        }
        return statistics
    }

    /// Checks the contents of every entry and removes damaged ones.
    ///
    /// - Returns: the result.
    /// - Throws: `DiskCacheError` when the folder cannot be read.
    package func verify() throws(DiskCacheError) -> Verification {
        var result = Verification()
        _ = try maintain { open throws(FileError) in
            try open.files.forEachFile { subfolder, file, number, _ throws(FileError) in
                guard let name = EntryName(file: file, in: number) else { return }
                do throws(FileError) {
                    try verify(name, in: subfolder, open, &result)
                } catch  where error.code == ENOENT {
                    // Removed by another process.
                }
            }
        }
        return result
    }

    private func verify(
        _ name: EntryName, in subfolder: borrowing Folder, _ open: OpenFolder, _ result: inout Verification
    ) throws(FileError) {
        let status: FileStatus
        let outcome: DiskEntryReader.Outcome
        do throws(FileError) {
            let file = try subfolder.open(name.file)
            status = try file.status
            outcome = try DiskEntryReader.read(file, size: status.byteCount, key: nil, sizeLimit: readLimit)
        } catch {
            guard error.code != ENOENT else { throw error }
            result.unread += 1
            return
        }
        switch outcome {
        case .entry(let entry, let key) where overrides.hash(String(decoding: key, as: UTF8.self)) == name.hash:
            result.entries += 1
            result.prefixes += entry.isPartial ? 1 : 0
            result.bytes += entry.body.count + entry.metadata.count + key.count
        case .unread: result.unread += 1
        case .damaged(isOurs: false): result.foreign.append(name.path)
        // An entry whose file was renamed is never found.
        case .damaged, .entry, .otherKey:
            try Self.remove(name.file, in: subfolder, open.usage) { $0.identity == status.identity }
            result.damaged.append(name.path)
        }
    }
}
