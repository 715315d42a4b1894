internal import Glibc
internal import SpyglassFiles

/// What is in the folder.
extension DiskCache {
    /// What the names and sizes of a folder say.
    public struct Statistics: Hashable, Sendable {
        /// Entries, whole ones and prefixes.
        public var entries = 0
        /// Bytes that entries and temporary files take, counted in blocks of 4 KiB.
        public var bytes = 0
        /// Entries that are being written, or whose writer died.
        public var temporaryFiles = 0
        /// Bytes that all may take.
        public var byteLimit: Int
        /// The folder, as it was given.
        public var folder: String
    }

    /// What the contents of all entries say.
    public struct Verification: Hashable, Sendable {
        /// Entries that are as they were written.
        public var entries = 0
        /// Bodies, metadata and keys of these together.
        public var bytes = 0
        /// Those of them that are only the beginning of a body.
        public var prefixes = 0
        /// Entries of another version of the program, too large to be read here, or not to be read at all: they stay.
        public var unread = 0
        /// Paths in the folder of entries that were damaged, and are removed.
        public var damaged: [String] = []
        /// Paths in the folder of files that stand where an entry could stand, and are none of ours: they stay.
        public var foreign: [String] = []
    }

    /// Counts entries, reading names and sizes only; a folder that is not there is empty.
    ///
    /// Some 2 µs an entry (`readdir`, `fstatat`).
    ///
    /// - Throws: `DiskCacheError` when the folder cannot be read.
    public func statistics() throws(DiskCacheError) -> Statistics {
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

    /// Reads and checks every entry, and removes those that are damaged.
    ///
    /// - Parameter isCancelled: asked before each entry; the result then covers those before.
    /// - Returns: what was found.
    /// - Throws: `DiskCacheError` when the folder cannot be read.
    public func verify(isCancelled: () -> Bool = { false }) throws(DiskCacheError) -> Verification {
        var result = Verification()
        _ = try maintain { open throws(FileError) in
            try open.files.forEachFile { subfolder, file, number, _ throws(FileError) in
                guard !isCancelled(), let name = EntryName(file: file, in: number) else { return }
                do throws(FileError) {
                    try verify(name, in: subfolder, open, &result)
                } catch  where error.code == ENOENT {
                    // Another process removed it meanwhile.
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
        case .entry(let entry, let key) where world.hash(String(decoding: key, as: UTF8.self)) == name.hash:
            result.entries += 1
            result.prefixes += entry.isPartial ? 1 : 0
            result.bytes += entry.body.count + entry.metadata.count + key.count
        case .unread:
            result.unread += 1
        case .damaged(isOurs: false):
            result.foreign.append(name.path)
        // A whole entry under another's name is never found: somebody renamed it.
        case .damaged, .entry, .otherKey:
            try Self.remove(name.file, in: subfolder, open.ledger) { $0.identity == status.identity }
            result.damaged.append(name.path)
        }
    }
}
