internal import Glibc

/// Whether the system has room for large blocks: Swift ends the process where it has not.
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
        typealias SetOption = @convention(c) (_ option: Int32, _ value: Int32) -> Int32
        guard addressSpace != nil, let symbol = dlsym(nil, "mallopt") else { return }
        _ = unsafeBitCast(symbol, to: SetOption.self)(maxArenas, 1)
    }

    /// `M_ARENA_MAX` of malloc.h.
    private static let maxArenas: Int32 = -8
}
