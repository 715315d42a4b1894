internal import SpyglassCaching
package import SpyglassFetching

/// XXH64 over windows of 64 KiB, each seeded with the previous hash: no file is read into memory whole.
///
/// Not cryptographic.
package enum SourceHash {
    static let window = 64 << 10

    /// Hashes a URL without keys and signatures, which change from day to day.
    package static func of(_ address: WebAddress) -> UInt64 { of(Array("address \(address.distinctDescription)".utf8)) }

    /// Equal to the hash of a file with these bytes.
    package static func of(_ bytes: [UInt8]) -> UInt64 {
        var stream = Stream()
        for start in stride(from: 0, to: max(bytes.count, 1), by: window) {
            stream.add(Array(bytes[start..<min(start + window, bytes.count)]))
        }
        return stream.value
    }

    /// Hashes parts of `window` bytes; only the last may be shorter.
    struct Stream {
        private(set) var byteCount = 0
        private(set) var value: UInt64 = 0

        mutating func add(_ bytes: [UInt8]) {
            guard !bytes.isEmpty || byteCount == 0 else { return }
            byteCount += bytes.count
            value = XXHash64.hash(bytes, seed: value)
        }
    }
}
