/// Where entries of bytes are kept under a key: `DiskCache`, or memory in a test.
///
/// A store may forget anything at any time, and never gives out a byte that was not put in. Its calls may block on a disk: they belong
/// on a thread of their own (`ThreadPool`), never on the cooperative pool. Thread-safe.
public protocol ByteStore: Sendable {
    /// What is kept under a key, or `nil`.
    func entry(for key: String) -> CacheEntry?

    /// Keeps an entry in place of what was there before; `false` when it cannot be kept, which is no error: it is a cache.
    @discardableResult
    func store(_ entry: CacheEntry, for key: String) -> Bool

    /// Forgets what is kept under a key.
    func remove(_ key: String)
}

/// What is kept under one key.
public struct CacheEntry: Hashable, Sendable {
    /// What the owner needs to know of the body, in a form of its own.
    public var metadata: [UInt8]
    /// The body.
    public var body: [UInt8]
    /// Whether the body is only the beginning of one: it must never be given out as a whole.
    public var isPartial: Bool

    /// An entry; whole unless said otherwise.
    public init(metadata: [UInt8], body: [UInt8], isPartial: Bool = false) {
        self.metadata = metadata
        self.body = body
        self.isPartial = isPartial
    }
}
