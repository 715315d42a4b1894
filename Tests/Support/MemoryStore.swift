package import SpyglassCaching
internal import SpyglassThreads

/// A byte store in memory, whose changes may wait like those of a stalled disk.
package final class MemoryStore: ByteStore {
    private let entries = Mutex<[String: CacheEntry]>([:])
    private let gate: Gate?

    /// Creates an empty store, whose changes wait until the gate opens.
    package init(gate: Gate? = nil) { self.gate = gate }

    /// The stored keys, sorted.
    package var keys: [String] { entries.withLock { $0.keys.sorted() } }

    /// Returns a stored entry.
    package func entry(for key: String) -> CacheEntry? { entries.withLock { $0[key] } }

    /// Stores an entry.
    package func store(_ entry: CacheEntry, for key: String) -> Bool {
        gate?.wait()
        entries.withLock { $0[key] = entry }
        return true
    }

    /// Removes an entry.
    package func remove(_ key: String) {
        gate?.wait()
        entries.withLock { $0[key] = nil }
    }
}
