internal import SpyglassFiles

/// Reads an entry's file and believes nothing of it: lengths before memory is taken, then both checksums.
///
/// Files are read and never mapped: whoever shortens a mapped file kills its reader (`SIGBUS`).
enum DiskEntryReader {
    /// What a file turned out to be.
    enum Outcome {
        case entry(CacheEntry, key: [UInt8])
        /// Whole, and another key's.
        case otherKey
        /// Larger than this cache would take memory for, or of another version: a miss that is left alone.
        case unread
        /// Not what was written: torn, cut or changed. `isOurs` tells whether it may be removed.
        case damaged(isOurs: Bool)
    }

    /// Bytes read at once at the beginning: a small entry comes in one call.
    private static let windowByteCount = 4096

    /// Reads an entry that must have `key` (any when `nil`), if its file is no larger than `sizeLimit`.
    ///
    /// A failure says why the file cannot be read, and nothing of what is in it.
    static func read(
        _ file: borrowing FileDescriptor, size: Int, key: String?, sizeLimit: Int
    ) throws(FileError) -> Outcome {
        var window = try file.bytes(min(size, windowByteCount))
        let header: DiskEntryHeader
        switch window.withUnsafeBytes({ DiskEntryHeader.parse($0, fileSize: size) }) {
        case .success(let parsed): header = parsed
        case .failure(.unknownVersion): return .unread
        case .failure: return .damaged(isOurs: isOurs(window))
        }
        guard size <= sizeLimit else { return .unread }
        if header.headByteCount > window.count {
            window = try file.bytes(header.headByteCount)
            guard window.count == header.headByteCount else { return .damaged(isOurs: true) }
        }
        let isHeadRight = window.withUnsafeBytes {
            header.vouches(
                forKeyAndMetadata: UnsafeRawBufferPointer(
                    rebasing: $0[DiskEntryHeader.byteCount..<header.headByteCount]))
        }
        guard isHeadRight else { return .damaged(isOurs: true) }
        let metadataStart = DiskEntryHeader.byteCount + header.keyLength
        let keyBytes = window[DiskEntryHeader.byteCount..<metadataStart]
        if let key, !keyBytes.elementsEqual(key.utf8) { return .otherKey }
        let body = try self.body(header, of: file, window: window)
        guard body.count == header.bodyLength, XXHash64.hash(body) == header.bodyChecksum else {
            return .damaged(isOurs: true)
        }
        let entry = CacheEntry(
            metadata: Array(window[metadataStart..<header.headByteCount]), body: body, isPartial: header.isPartial)
        return .entry(entry, key: key == nil ? Array(keyBytes) : [])
    }

    /// Whether a file in an entry's place may be removed: it begins with our magic, or so that only a torn write of ours explains it.
    ///
    /// A system that lost power may keep a new file's name and length without its bytes: empty, cut or zero.
    static func isOurs(_ beginning: [UInt8]) -> Bool {
        let start = beginning.prefix(DiskEntryHeader.magic.count)
        return start.elementsEqual(DiskEntryHeader.magic.prefix(start.count)) || start.allSatisfy { $0 == 0 }
    }

    /// Whether an open file may be removed as ours.
    static func isOurs(_ file: borrowing FileDescriptor) throws(FileError) -> Bool {
        isOurs(try file.bytes(DiskEntryHeader.magic.count))
    }

    /// The body: what the window already holds, and the rest straight from the file.
    private static func body(
        _ header: DiskEntryHeader, of file: borrowing FileDescriptor, window: [UInt8]
    ) throws(FileError) -> [UInt8] {
        let known = window[header.headByteCount...]
        guard known.count < header.bodyLength else { return Array(known.prefix(header.bodyLength)) }
        return try file.bytes(header.bodyLength - known.count, at: window.count, after: known)
    }
}
