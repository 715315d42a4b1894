/// The memory that this process may use: what its control groups allow it, or what the machine has.
///
///     MemoryBudget.current().cacheBytes
///
/// A container on a large machine is killed when it takes the machine's memory for its own: limits of control groups count, of
/// version 1 and 2 (cgroup-v1/memory.rst and cgroup-v2.rst of the kernel's documentation), nested ones too.
public struct MemoryBudget: Hashable, Sendable {
    /// Bytes.
    public let bytes: Int

    /// A budget of so many bytes; negative counts as zero.
    public init(bytes: Int) { self.bytes = max(0, bytes) }

    /// What a memory cache should take: 5 % of the budget, but 16 MiB at least and 256 MiB at most, and never above a quarter of the budget.
    ///
    /// 16 MiB are four screens of 1024x1024 pixels, and a cache that holds less than what can be seen is of no use. 256 MiB are
    /// eight screens of 3840x2160; nobody scrolls back further than that, and a process that grows for nothing is a bad neighbour.
    public var cacheBytes: Int { min(max(bytes / 20, Self.minCacheBytes), Self.maxCacheBytes, bytes / 4) }

    private static let minCacheBytes = 16 << 20
    private static let maxCacheBytes = 256 << 20

    /// `cacheBytes` of this process's budget.
    public static func defaultCacheBytes() -> Int { current().cacheBytes }
}
