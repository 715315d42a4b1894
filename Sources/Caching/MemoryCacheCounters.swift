/// Events in a `MemoryCache` since its creation; counters wrap around.
public struct MemoryCacheCounters: Hashable, Sendable {
    /// Successful lookups.
    public var hits = 0
    /// Failed lookups.
    public var misses = 0
    /// Insertions, replacements included.
    public var insertions = 0
    /// Values above the cost limit, or all when the count limit is zero.
    public var rejections = 0
    /// Evictions by a limit or a `trim`; not removals and replacements.
    public var evictions = 0

    /// All zero.
    public init() {}
}
