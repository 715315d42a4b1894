internal import SpyglassFiles

/// Checks lengths before it allocates, then both checksums.
///
/// Never maps a file: truncating a mapped one kills its reader (`SIGBUS`).
enum DiskEntryReader {
    enum Outcome {
        case entry(CacheEntry, key: [UInt8])
        /// An undamaged entry of another key.
        case otherKey
        /// Too large, of another version, or not to be read: a miss that stays.
        case unread
        /// Torn, truncated or changed; removed if it is ours.
        case damaged(isOurs: Bool)
    }

    /// Bytes of the first read: all of a small entry.
    private static let windowByteCount = 4096

    /// Reads an entry; any key matches `nil`, and it throws only if the file cannot be read.
    static func read(
        _ file: borrowing FileDescriptor, size: Int, key: String?, sizeLimit: Int,
        _ mayRead: (Int) -> Bool = { _ in true }
    ) throws(FileError) -> Outcome {
        var window = try file.bytes(min(size, windowByteCount))
        guard let header = window.withUnsafeBytes({ DiskEntryHeader($0, fileSize: size) }) else {
            let isUnknown = window.withUnsafeBytes { DiskEntryHeader.hasUnknownVersion($0) }
            return isUnknown ? .unread : .damaged(isOurs: isOurs(window))
        }
        guard size <= sizeLimit else { return .unread }
        if header.headByteCount > window.count {
            window = try file.bytes(header.headByteCount)
            guard window.count == header.headByteCount else { return .damaged(isOurs: true) }
        }
        let isHeadRight = window.withUnsafeBytes {
            header.checksumMatches(
                UnsafeRawBufferPointer(rebasing: $0[DiskEntryHeader.byteCount..<header.headByteCount]))
        }
        guard isHeadRight else { return .damaged(isOurs: true) }
        let metadataStart = DiskEntryHeader.byteCount + header.keyLength
        let keyBytes = window[DiskEntryHeader.byteCount..<metadataStart]
        if let key, !keyBytes.elementsEqual(key.utf8) { return .otherKey }
        guard mayRead(header.bodyLength) else { return .unread }
        let body = try self.body(header, of: file, window: window)
        guard body.count == header.bodyLength, XXHash64.hash(body) == header.bodyChecksum else {
            return .damaged(isOurs: true)
        }
        let entry = CacheEntry(
            metadata: Array(window[metadataStart..<header.headByteCount]), body: body, isPartial: header.isPartial)
        return .entry(entry, key: key == nil ? Array(keyBytes) : [])
    }

    /// Whether this cache wrote the file: it starts with the magic, or is empty, cut or zero as after a power failure.
    static func isOurs(_ beginning: [UInt8]) -> Bool {
        let start = beginning.prefix(DiskEntryHeader.magic.count)
        return start.elementsEqual(DiskEntryHeader.magic.prefix(start.count)) || start.allSatisfy { $0 == 0 }
    }

    static func isOurs(_ file: borrowing FileDescriptor) throws(FileError) -> Bool {
        isOurs(try file.bytes(DiskEntryHeader.magic.count))
    }

    /// Reads the body, of which the window has the first bytes.
    private static func body(
        _ header: DiskEntryHeader, of file: borrowing FileDescriptor, window: [UInt8]
    ) throws(FileError) -> [UInt8] {
        let known = window[header.headByteCount...]
        guard known.count < header.bodyLength else { return Array(known.prefix(header.bodyLength)) }
        return try file.bytes(header.bodyLength - known.count, at: window.count, after: known)
    }
}
