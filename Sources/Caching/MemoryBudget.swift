/// The memory that this process may use: the limit of its control groups or of its address space, or the machine's memory.
///
///     MemoryBudget.current().cacheBytes
///
/// Includes control groups of version 1 and 2 and nested ones (cgroup-v1/memory.rst and cgroup-v2.rst): a container above its limit
/// is killed.
public struct MemoryBudget: Hashable, Sendable {
    /// Bytes.
    public let bytes: Int

    /// A budget in bytes; negative counts as zero.
    public init(bytes: Int) { self.bytes = max(0, bytes) }

    /// Size of a memory cache: 5 % of the budget, from 16 to 256 MiB, at most a quarter of the budget.
    ///
    /// 16 MiB are four screens of 1024x1024 pixels, 256 MiB eight of 3840x2160.
    public var cacheBytes: Int { min(max(bytes / 20, Self.minCacheBytes), Self.maxCacheBytes, bytes / 4) }
    /// What decoders and bodies in flight may take together: a quarter.
    public var workBytes: Int { bytes / 4 }
    private static let minCacheBytes = 16 << 20
    private static let maxCacheBytes = 256 << 20

    /// `cacheBytes` of this process's budget.
    public static func defaultCacheBytes() -> Int { current().cacheBytes }
}
