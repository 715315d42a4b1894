/// What has happened in a `MemoryCache` since it was made; each counter wraps around at its end.
public struct MemoryCacheCounters: Hashable, Sendable {
    /// Values found.
    public var hits = 0
    /// Values looked for in vain.
    public var misses = 0
    /// Values kept, those in place of another among them.
    public var insertions = 0
    /// Values that were too costly, or for which the count limit has no place at all.
    public var rejections = 0
    /// Values that had to go, by a limit or a `trim`; not those removed or replaced.
    public var evictions = 0

    /// Nothing has happened.
    public init() {}
}
