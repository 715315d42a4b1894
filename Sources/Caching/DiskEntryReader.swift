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

/// The first 48 bytes of an entry's file.
///
/// Numbers are little-endian; key, metadata and body follow without gaps.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8 | magic |
/// | 8 | 4 | version |
/// | 12 | 4 | flags; bit 0: partial body |
/// | 16 | 4 | length of the key |
/// | 20 | 4 | length of the metadata |
/// | 24 | 8 | length of the body |
/// | 32 | 8 | XXH64 of the body |
/// | 40 | 8 | XXH64 of key and metadata, seeded with XXH64 of the 40 bytes before |
struct DiskEntryHeader: Equatable {
    /// Like PNG's: no text starts so, and a text transfer damages it.
    static let magic: [UInt8] = [0x89, 0x53, 0x50, 0x59, 0x47, 0x0D, 0x0A, 0x1A]
    static let version: UInt32 = 1
    static let byteCount = 48
    /// Bytes covered by the seed of the head's checksum.
    private static let summedByteCount = 40
    private static let prefixFlag: UInt32 = 1
    /// Maximum bytes of a key; addresses have a few thousand.
    static let keyLimit = 64 << 10
    /// Maximum bytes of the metadata: response headers, which libcurl limits to 300 KB.
    static let metadataLimit = 1 << 20
    let isPartial: Bool
    let keyLength: Int
    let metadataLength: Int
    let bodyLength: Int
    let bodyChecksum: UInt64
    let headChecksum: UInt64
    let seed: UInt64
    var headByteCount: Int { Self.byteCount + keyLength + metadataLength }

    /// Whether another version of this program wrote the entry.
    static func hasUnknownVersion(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 12 && bytes.prefix(8).elementsEqual(magic)
            && UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) != version
    }

    /// `nil` if damaged or of another version; the lengths must add up to the file's size.
    init?(_ bytes: UnsafeRawBufferPointer, fileSize: Int) {
        guard bytes.count >= Self.byteCount, bytes.prefix(8).elementsEqual(Self.magic) else { return nil }
        func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
            Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
        guard number(8, UInt32.self) == Self.version else { return nil }
        isPartial = number(12, UInt32.self) & Self.prefixFlag != 0
        keyLength = Int(number(16, UInt32.self))
        metadataLength = Int(number(20, UInt32.self))
        // Two lengths of 32 bits cannot overflow; the body's can.
        let (end, overflows) = (Self.byteCount + keyLength + metadataLength)
            .addingReportingOverflow(Int(truncatingIfNeeded: number(24, UInt64.self)))
        guard !overflows, end == fileSize, keyLength <= Self.keyLimit, metadataLength <= Self.metadataLimit else {
            return nil
        }
        bodyLength = Int(truncatingIfNeeded: number(24, UInt64.self))
        guard bodyLength >= 0 else { return nil }
        bodyChecksum = number(32, UInt64.self)
        headChecksum = number(40, UInt64.self)
        seed = XXHash64.hash(UnsafeRawBufferPointer(rebasing: bytes[..<Self.summedByteCount]))
    }

    func checksumMatches(_ bytes: UnsafeRawBufferPointer) -> Bool { XXHash64.hash(bytes, seed: seed) == headChecksum }

    static func head(of entry: CacheEntry, key: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount + key.utf8.count + entry.metadata.count)
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        bytes += magic
        append(version)
        append(entry.isPartial ? prefixFlag : 0)
        append(UInt32(truncatingIfNeeded: key.utf8.count))
        append(UInt32(truncatingIfNeeded: entry.metadata.count))
        append(UInt64(entry.body.count))
        append(XXHash64.hash(entry.body))
        let seed = XXHash64.hash(bytes)
        append(UInt64(0))
        bytes += key.utf8
        bytes += entry.metadata
        let sum = bytes.withUnsafeBytes {
            XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[byteCount...]), seed: seed)
        }
        withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(summedByteCount..<byteCount, with: $0) }
        return bytes
    }
}
