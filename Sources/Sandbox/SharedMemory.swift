internal import Glibc
internal import SpyglassCSandbox
package import SpyglassFiles

/// Memory that two processes map (`memfd_create`), whose size neither can change; unmapped at the end of its life.
///
/// The other process may write to it at any time: copy what is needed, then look at the copy.
package final class SharedMemory {
    package let byteCount: Int
    package let descriptor: FileDescriptor
    private let base: UnsafeMutableRawPointer

    /// Makes memory of zeros.
    package init(byteCount: Int) throws(FileError) {
        let memory = FileDescriptor(owning: try checked("memfd_create") { sg_memory() })
        // All pages at once: without memory for one, touching it would end the process (SIGBUS).
        try checked("fallocate") { sg_allocate(memory.number, byteCount) }
        try checked("fcntl") { sg_seal(memory.number, true) }
        base = try Self.map(memory.number, byteCount)
        descriptor = memory
        self.byteCount = byteCount
    }

    /// Maps the memory of another process.
    package init(receiving number: Int32) throws(FileError) {
        descriptor = FileDescriptor(owning: number)
        byteCount = try descriptor.status.byteCount
        base = try Self.map(number, byteCount)
    }

    deinit { munmap(base, byteCount) }

    private static func map(_ number: Int32, _ byteCount: Int) throws(FileError) -> UnsafeMutableRawPointer {
        let base = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)
        guard let base, base != MAP_FAILED else { throw FileError("mmap") }
        return base
    }

    /// Copies bytes out; traps if they are outside.
    package func copy(_ range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "outside the memory")
        return [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            UnsafeMutableRawBufferPointer(buffer).copyMemory(
                from: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
            count = range.count
        }
    }

    /// Copies bytes in; returns false if they do not fit.
    package func write(_ bytes: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset <= byteCount, bytes.count <= byteCount - offset else { return false }
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: base + offset, count: byteCount - offset).copyMemory(from: $0)
        }
        return true
    }

    /// A file in memory that no process can change (`memfd_create` with all four seals), of parts up to an empty one.
    package static func sealed(_ next: () throws(FileError) -> [UInt8]) throws(FileError) -> FileDescriptor {
        let memory = FileDescriptor(owning: try checked("memfd_create") { sg_memory() })
        while case let part = try next(), !part.isEmpty { try memory.write(part) }
        try checked("fcntl") { sg_seal(memory.number, false) }
        return memory
    }
}
