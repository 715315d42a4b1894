package import SpyglassCaching
internal import SpyglassThreads

/// A byte store in memory, which may refuse to store.
package final class MemoryStore: ByteStore {
    private let state = Mutex<(entries: [String: CacheEntry], reads: Int)>(([:], 0))
    private let refuses: Bool

    /// Creates an empty store.
    package init(refuses: Bool = false) { self.refuses = refuses }

    /// The stored keys, sorted.
    package var keys: [String] { state.withLock { $0.entries.keys.sorted() } }
    /// The number of lookups.
    package var readCount: Int { state.withLock(\.reads) }

    /// Returns a stored entry, and counts the lookup.
    package func entry(for key: String) -> CacheEntry? {
        state.withLock { state in
            state.reads += 1
            return state.entries[key]
        }
    }

    /// Stores an entry, unless the store refuses.
    package func store(_ entry: CacheEntry, for key: String) -> Bool {
        guard !refuses else { return false }
        state.withLock { $0.entries[key] = entry }
        return true
    }

    /// Removes an entry.
    package func remove(_ key: String) { state.withLock { $0.entries[key] = nil } }
}
