internal import Glibc

/// Memory of the system: whether there is room for large blocks, and how the heaps are set up (mallopt(3)).
///
/// Swift ends the process where there is no room.
package enum SystemMemory {
    /// Smaller blocks are not checked.
    package static let minBytes = 1 << 20

    package static func hasRoom(for bytes: Int) -> Bool {
        guard bytes >= minBytes else { return true }
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let block = mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, -1, 0), block != MAP_FAILED else {
            return false
        }
        munmap(block, bytes)
        return true
    }

    /// The limit of the address space (`RLIMIT_AS`), if any.
    package static var addressSpace: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return nil }
        return Int(exactly: limit.rlim_cur)
    }

    /// Uses one heap for all threads where the address space is limited: each other one takes 64 MiB of it (mallopt(3)).
    package static func saveAddressSpace() {
        if addressSpace != nil { setHeaps(.maxArenas, 1) }
    }

    /// Keeps up to 2 MiB of freed memory in each heap, for the next of many images (mallopt(3)).
    ///
    /// Otherwise most of what an image needed is unmapped after it, and cleared and mapped again for the next.
    package static func keepFreedMemory() {
        setHeaps(.mmapThreshold, 1 << 20)
        setHeaps(.trimThreshold, 2 << 20)
    }

    /// Fills each block with zeros when it is allocated, so that what a library leaves unwritten shows nothing of other images
    /// (`M_PERTURB`, whose complement fills new blocks).
    package static func clearNewBlocks() { setHeaps(.perturb, 0xFF) }

    /// A constant of malloc.h.
    private enum HeapOption: Int32 {
        case trimThreshold = -1
        case mmapThreshold = -3
        case perturb = -6
        case maxArenas = -8
    }

    private static func setHeaps(_ option: HeapOption, _ value: Int32) {
        typealias SetOption = @convention(c) (_ option: Int32, _ value: Int32) -> Int32
        guard let symbol = dlsym(nil, "mallopt") else { return }
        _ = unsafeBitCast(symbol, to: SetOption.self)(option.rawValue, value)
    }
}
