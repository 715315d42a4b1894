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
    /// Header, key and metadata.
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

    /// Whether key and metadata are undamaged.
    func checksumMatches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        XXHash64.hash(bytes, seed: seed) == headChecksum
    }

    /// All bytes before the body.
    static func head(of entry: CacheEntry, key: String) -> [UInt8] {
        var key = key
        return key.withUTF8 { key in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(byteCount + key.count + entry.metadata.count)
            func append(_ number: some FixedWidthInteger) {
                withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
            }
            bytes += magic
            append(version)
            append(entry.isPartial ? prefixFlag : 0)
            append(UInt32(truncatingIfNeeded: key.count))
            append(UInt32(truncatingIfNeeded: entry.metadata.count))
            append(UInt64(entry.body.count))
            append(XXHash64.hash(entry.body))
            let seed = XXHash64.hash(bytes)
            append(UInt64(0))
            bytes += key
            bytes += entry.metadata
            let sum = bytes.withUnsafeBytes {
                XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[byteCount...]), seed: seed)
            }
            withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(summedByteCount..<byteCount, with: $0) }
            return bytes
        }
    }
}
