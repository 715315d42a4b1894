internal import SpyglassCaching
package import SpyglassFetching
internal import SpyglassFiles

/// A 64-bit hash of a source, to detect changes; not cryptographic.
///
/// XXH64 over windows of 64 KiB, each seeded with the hash of the previous ones. So no file is read into memory whole.
package enum SourceHash {
    private static let window = 64 << 10

    /// Equal to the hash of a file with these bytes.
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

    /// Hashes a URL without keys and signatures, which change from day to day.
    package static func of(_ address: WebAddress) -> UInt64 { of(Array("address \(address.distinctDescription)".utf8)) }

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
