internal import SpyglassCaching
package import SpyglassFetching
internal import SpyglassFiles

/// What a result was made of, in 64 bits: it tells a changed source from the same, and keeps no secret.
///
/// Content is hashed by XXH64, each window of 64 KiB seeded by the hash of those before it, so that a file need not be in memory.
package enum SourceHash {
    private static let window = 64 << 10

    /// Of bytes in memory: the same as of a file that holds them.
    package static func of(_ bytes: [UInt8]) -> UInt64 {
        var sum: UInt64 = 0
        var start = 0
        repeat {
            let end = min(start + window, bytes.count)
            sum = bytes.withUnsafeBytes { XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[start..<end]), seed: sum) }
            start = end
        } while start < bytes.count
        return sum
    }

    /// Of an address as it is printed: keys and signatures, which change from day to day, count for nothing.
    package static func of(_ address: WebAddress) -> UInt64 { of(Array("address \(address)".utf8)) }

    /// Of a file, from its start.
    ///
    /// - Throws: `BatchError` of kind `unreadable`; `cancelled` if `isCancelled` returns true.
    static func ofFile(
        _ file: borrowing FileDescriptor, isCancelled: () -> Bool = { Task.isCancelled }
    ) throws(BatchError) -> UInt64 {
        var sum: UInt64 = 0
        var offset = 0
        while true {
            guard !isCancelled() else { throw BatchError.cancelled }
            let bytes: [UInt8]
            do throws(FileError) { bytes = try file.bytes(window, at: offset) } catch {
                throw BatchError(.unreadable, error.reason)
            }
            // An empty file has the hash of no bytes, and a full last window is followed by none.
            guard !bytes.isEmpty || offset == 0 else { return sum }
            sum = XXHash64.hash(bytes, seed: sum)
            offset += bytes.count
            guard bytes.count == window else { return sum }
        }
    }
}
