public import SpyglassCaching
internal import SpyglassThreads

/// A byte store in memory, which may refuse to store.
public final class MemoryStore: ByteStore {
    private let state = Mutex<(entries: [String: CacheEntry], reads: Int)>(([:], 0))
    private let refuses: Bool

    /// Creates an empty store.
    public init(refuses: Bool = false) { self.refuses = refuses }

    /// The stored keys, sorted.
    public var keys: [String] { state.withLock { $0.entries.keys.sorted() } }
    /// The number of lookups.
    public var readCount: Int { state.withLock(\.reads) }

    /// Returns a stored entry, and counts the lookup.
    public func entry(for key: String) -> CacheEntry? {
        state.withLock { state in
            state.reads += 1
            return state.entries[key]
        }
    }

    /// Stores an entry, unless the store refuses.
    public func store(_ entry: CacheEntry, for key: String) -> Bool {
        guard !refuses else { return false }
        state.withLock { $0.entries[key] = entry }
        return true
    }

    /// Removes an entry.
    public func remove(_ key: String) { state.withLock { $0.entries[key] = nil } }
}
