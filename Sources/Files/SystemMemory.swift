internal import Glibc

/// Whether the system has room for large blocks: Swift ends the process where it has not.
package enum SystemMemory {
    /// Smaller blocks are not checked.
    package static let minBytes = 1 << 20

    /// Whether a block could be allocated now (`mmap`).
    package static func hasRoom(for bytes: Int) -> Bool {
        guard bytes >= minBytes else { return true }
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let block = mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, -1, 0), block != MAP_FAILED else {
            return false
        }
        munmap(block, bytes)
        return true
    }
}
