package import SpyglassCaching
internal import SpyglassThreads

/// A byte store in memory, which may refuse to store.
package final class MemoryStore: ByteStore {
    private let entries = Mutex<[String: CacheEntry]>([:])
    private let refuses: Bool

    /// Creates an empty store.
    package init(refuses: Bool = false) { self.refuses = refuses }

    /// The stored keys, sorted.
    package var keys: [String] { entries.withLock { $0.keys.sorted() } }

    /// Returns a stored entry.
    package func entry(for key: String) -> CacheEntry? { entries.withLock { $0[key] } }

    /// Stores an entry, unless the store refuses.
    package func store(_ entry: CacheEntry, for key: String) -> Bool {
        guard !refuses else { return false }
        entries.withLock { $0[key] = entry }
        return true
    }

    /// Removes an entry.
    package func remove(_ key: String) { entries.withLock { $0[key] = nil } }
}
