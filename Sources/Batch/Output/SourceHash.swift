internal import Glibc
internal import SpyglassCaching
package import SpyglassFetching

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

    /// Of a file, from its start (`pread`).
    ///
    /// - Throws: `BatchFailure` of kind `unreadable`; `cancelled` when `isCancelled` says so.
    package static func ofFile(
        _ descriptor: Int32, isCancelled: () -> Bool = { Task.isCancelled }
    ) throws(BatchFailure) -> UInt64 {
        var buffer = [UInt8](repeating: 0, count: window)
        var sum: UInt64 = 0
        var offset = 0
        repeat {
            guard !isCancelled() else { throw BatchFailure.cancelled }
            let count = try read(descriptor, into: &buffer, at: offset)
            // An empty file is hashed as empty bytes are, and a full last window not once more.
            guard count > 0 || offset == 0 else { return sum }
            sum = buffer.withUnsafeBytes {
                XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[..<count]), seed: sum)
            }
            offset += count
            guard count == window else { return sum }
        } while true
    }

    /// Fills the buffer, or as much of it as the file has left.
    private static func read(
        _ descriptor: Int32, into buffer: inout [UInt8], at offset: Int
    ) throws(BatchFailure) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = buffer.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled, offset + filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw BatchFailure(.unreadable, SystemErrorText.last) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }
}
