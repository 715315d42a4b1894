internal import SpyglassCaching
package import SpyglassFetching

/// XXH64 over windows of 64 KiB, each seeded with the previous hash: no file is read into memory whole.
///
/// Not cryptographic.
package enum SourceHash {
    static let window = 64 << 10

    /// Equal to the hash of a file with these bytes.
    package static func of(_ bytes: [UInt8]) -> UInt64 {
        var stream = Stream()
        bytes.withUnsafeBytes { stream.add($0, isAll: true) }
        return stream.value
    }

    /// Hashes a URL without keys and signatures, which change from day to day.
    package static func of(_ address: WebAddress) -> UInt64 { of(Array("address \(address.distinctDescription)".utf8)) }

    struct Stream {
        private(set) var byteCount = 0
        private var sum: UInt64 = 0
        private var pending: [UInt8] = []

        /// All bytes at once need no copy.
        mutating func add(_ bytes: UnsafeRawBufferPointer, isAll: Bool = false) {
            byteCount += bytes.count
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(window - pending.count)
                rest = rest.dropFirst(part.count)
                let isComplete = isAll || part.count == window
                if !isComplete { pending += part }
                guard isComplete || pending.count == window else { continue }
                sum = pending.withUnsafeBytes {
                    XXHash64.hash($0.isEmpty ? UnsafeRawBufferPointer(rebasing: part) : $0, seed: sum)
                }
                pending.removeAll(keepingCapacity: true)
            }
        }

        var value: UInt64 { byteCount == 0 || !pending.isEmpty ? XXHash64.hash(pending, seed: sum) : sum }
    }
}
