internal import Glibc

/// A block of zeroed memory of which only touched pages take memory (`mmap` with `MAP_NORESERVE`); not thread-safe.
package struct ReservedMemory: ~Copyable {
    package let base: UnsafeMutableRawPointer
    package let byteCount: Int
    private var discardedBytes = 0

    /// `nil` if the system refuses, for one byte at least.
    package init?(byteCount: Int) {
        let count = max(byteCount, 1)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        guard let base = mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0), base != MAP_FAILED else { return nil }
        self.base = base
        self.byteCount = count
    }

    deinit { munmap(base, byteCount) }

    /// The bytes of a range, which must be inside.
    package subscript(range: Range<Int>) -> UnsafeMutableRawBufferPointer {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "outside the block")
        return UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// Frees the whole pages before `end`; their bytes become 0.
    package mutating func discard(before end: Int) {
        let end = min(end, byteCount) / Self.pageBytes * Self.pageBytes
        guard end > discardedBytes else { return }
        madvise(base + discardedBytes, end - discardedBytes, MADV_DONTNEED)
        discardedBytes = end
    }

    private static let pageBytes = sysconf(Int32(_SC_PAGESIZE))
}
