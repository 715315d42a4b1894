/// Stores entries of bytes under keys: `DiskCache`, or memory in a test.
///
/// A store may drop entries at any time and never returns bytes that were not stored. Its calls may block on a disk: call it on a
/// `ThreadPool`, never on the cooperative pool. Thread-safe.
package protocol ByteStore: Sendable {
    /// Returns the entry of a key, or `nil`.
    func entry(for key: String) -> CacheEntry?

    /// Returns the entry if `mayRead` accepts the length of its body; a store with bodies in memory need not ask.
    func entry(for key: String, mayRead: (Int) -> Bool) -> CacheEntry?

    /// Stores an entry, replacing the previous one; returns `false` if it is declined.
    @discardableResult
    func store(_ entry: CacheEntry, for key: String) -> Bool

    /// Removes the entry of a key.
    func remove(_ key: String)
}

extension ByteStore {
    /// Returns the entry of a key without asking.
    package func entry(for key: String, mayRead: (Int) -> Bool) -> CacheEntry? { entry(for: key) }
}

/// The metadata and body of one key.
package struct CacheEntry: Hashable, Sendable {
    /// The owner's own data, in its own format.
    package var metadata: [UInt8]
    /// The body.
    package var body: [UInt8]
    /// Whether the body is only the beginning of one; never use it as complete.
    package var isPartial: Bool

    /// An entry; complete by default.
    package init(metadata: [UInt8], body: [UInt8], isPartial: Bool = false) {
        self.metadata = metadata
        self.body = body
        self.isPartial = isPartial
    }
}
