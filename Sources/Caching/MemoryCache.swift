public import SpyglassThreads

/// A cache of values in memory up to a total cost; evicts the least recently used first.
///
///     let images = MemoryCache<String, Image>(totalCostLimit: 32 << 20) { $0.byteCount }
///     images["moon"] = image
///
///     let sessions = MemoryCache<String, Session>(countLimit: 100, timeToLive: .seconds(60)) { key, _, reason in
///         print(key, reason)
///     }
///
/// After every operation cost and count are within their limits. Removed values are released after unlocking: their `deinit`, the
/// cost function and `onEviction` may call the cache. A key's `hash(into:)` and `==` run under the lock and must not.
///
/// Nothing is pinned. Thread-safe and linearizable: one lock guards everything. Calls take constant time on average, apart from what
/// they evict. `removeAll` frees the bookkeeping's memory.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Called with each value that leaves the cache, on the thread that causes it, without the lock.
    public typealias OnEviction = @Sendable (Key, Value, EvictionReason) -> Void

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var entries = LRUList<Key, Value>()
        @usableFromInline var totalCostLimit: Int
        @usableFromInline var countLimit: Int
        /// `nil`: a tenth of the total cost.
        @usableFromInline let givenEntryCostLimit: Int?
        @usableFromInline var timeToLive: Duration?

        @inlinable var entryCostLimit: Int { max(0, min(givenEntryCostLimit ?? totalCostLimit / 10, totalCostLimit)) }

        @inlinable
        mutating func evict(_ removed: inout [LRUList<Key, Value>.Entry]) {
            entries.evict(toCost: totalCostLimit, count: countLimit, into: &removed)
        }
    }

    /// Maximum bookkeeping of an entry in bytes, without what key and value own; for cost functions in bytes.
    package static var bytesPerEntry: Int { LRUList<Key, Value>.bytesPerEntry }
    @usableFromInline let cost: (@Sendable (Value) -> Int)?
    @usableFromInline let onEviction: OnEviction?
    @usableFromInline let now: @Sendable () -> ContinuousClock.Instant
    @usableFromInline let state: Mutex<State>

    /// Creates an empty cache of values with different costs; negative limits count as zero.
    ///
    /// - Parameters:
    ///   - totalCostLimit: maximum of all costs; by default a share of this process's memory, with costs in bytes.
    ///   - countLimit: maximum number of entries.
    ///   - entryCostLimit: maximum cost of an entry; by default a tenth of `totalCostLimit`, and never above it.
    ///   - timeToLive: how long a value is there after it was inserted; `nil` for as long as there is room.
    ///   - cost: called once per insertion, on the caller's thread without the lock; negative results count as zero. Values without
    ///     cost are limited by `countLimit` alone.
    ///   - onEviction: called with each value that leaves the cache.
    public convenience init(
        totalCostLimit: Int? = nil, countLimit: Int = .max, entryCostLimit: Int? = nil, timeToLive: Duration? = nil,
        cost: @escaping @Sendable (Value) -> Int, onEviction: OnEviction? = nil
    ) {
        self.init(
            totalCostLimit ?? MemoryBudget.current().cacheBytes, countLimit, entryCostLimit, timeToLive, cost,
            onEviction)
    }

    /// Creates an empty cache of up to so many values.
    public convenience init(countLimit: Int, timeToLive: Duration? = nil, onEviction: OnEviction? = nil) {
        self.init(.max, countLimit, nil, timeToLive, nil, onEviction)
    }

    package init(
        _ totalCostLimit: Int, _ countLimit: Int, _ entryCostLimit: Int?, _ timeToLive: Duration?,
        _ cost: (@Sendable (Value) -> Int)?, _ onEviction: OnEviction?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.cost, self.onEviction, self.now) = (cost, onEviction, now)
        state = Mutex(
            State(
                totalCostLimit: max(0, totalCostLimit), countLimit: max(0, countLimit),
                givenEntryCostLimit: entryCostLimit, timeToLive: timeToLive))
    }

    /// Maximum of all costs, in the unit of the cost function; a smaller one evicts at once.
    public var totalCostLimit: Int {
        get { state.withLock { $0.totalCostLimit } }
        set { change { $0.totalCostLimit = max(0, newValue) } }
    }

    /// Maximum number of entries; a smaller one evicts at once.
    public var countLimit: Int {
        get { state.withLock { $0.countLimit } }
        set { change { $0.countLimit = max(0, newValue) } }
    }

    /// How long a value is there after it was inserted, for values inserted from now on; `nil` for as long as there is room.
    public var timeToLive: Duration? {
        get { state.withLock { $0.timeToLive } }
        set { change { $0.timeToLive = newValue } }
    }

    package var entryCostLimit: Int { state.withLock { $0.entryCostLimit } }

    private func change(_ body: (inout sending State) -> Void) {
        let removed = state.withLock { state in
            var removed: [LRUList<Key, Value>.Entry] = []
            body(&state)
            state.evict(&removed)
            return removed
        }
        report(removed, .limit)
    }

    @usableFromInline
    func report(_ removed: [LRUList<Key, Value>.Entry], _ reason: EvictionReason) {
        guard let onEviction else { return }
        for entry in removed { onEviction(entry.key, entry.value, reason) }
    }

    /// The value of a key, which becomes the newest, as by `value(for:)`, `insert` and `remove`.
    ///
    /// A value above the limit of an entry (by default a tenth of `totalCostLimit`) is dropped; `insert` tells so.
    @inlinable
    public subscript(key: Key) -> Value? {
        get { value(for: key) }
        set { if let newValue { insert(newValue, for: key) } else { remove(key) } }
    }

    /// Returns the value of a key and makes it the newest.
    @inlinable
    public func value(for key: Key) -> Value? {
        let (value, expired) = state.withLock { state -> (Value?, LRUList<Key, Value>.Entry?) in
            guard let found = state.entries.use(key) else { return (nil, nil) }
            guard let expiry = found.expiry, expiry <= now() else { return (found.value, nil) }
            return (nil, state.entries.remove(key))
        }
        if let expired { report([expired], .expired) }
        return value
    }

    /// Inserts a value as the newest, replacing the key's previous one, and evicts the oldest as needed.
    ///
    /// - Returns: `false` if its cost is above the limit of an entry, or `countLimit` is zero; the previous value is removed, too.
    @inlinable @discardableResult
    public func insert(_ value: Value, for key: Key) -> Bool {
        let cost = cost.map { max(0, $0(value)) } ?? 0
        let (isAccepted, replaced, removed) = state.withLock {
            state -> (Bool, LRUList<Key, Value>.Entry?, [LRUList<Key, Value>.Entry]) in
            let isAccepted = cost <= state.entryCostLimit && state.countLimit > 0
            let replaced = state.entries.remove(key)
            var removed: [LRUList<Key, Value>.Entry] = []
            if isAccepted {
                state.entries.evict(toCost: state.totalCostLimit - cost, count: state.countLimit - 1, into: &removed)
                let expiry = state.timeToLive.map { now().advanced(by: $0) }
                state.entries.add(LRUList.Entry(key: key, value: value, cost: cost, expiry: expiry))
            }
            return (isAccepted, replaced, removed)
        }
        if onEviction != nil {
            if let replaced { report([replaced], .replaced) }
            report(removed, .limit)
        }
        // Keeps the optimiser from releasing them under the lock.
        withExtendedLifetime((replaced, removed)) {}
        return isAccepted
    }

    /// Removes and returns the value of a key.
    @discardableResult
    public func remove(_ key: Key) -> Value? {
        let entry = state.withLock { $0.entries.remove(key) }
        if let entry { report([entry], .removed) }
        return withExtendedLifetime(entry) { entry?.value }
    }

    /// Removes everything and frees the memory.
    public func removeAll() {
        let old = state.withLock { state in
            defer { state.entries = LRUList() }
            return state.entries
        }
        if onEviction != nil { report(old.all, .removed) }
        withExtendedLifetime(old) {}
    }

    /// Number of entries; expired ones count until they are looked up or evicted.
    public var count: Int { state.withLock { $0.entries.count } }
    /// Sum of all costs, at most `totalCostLimit`.
    public var totalCost: Int { state.withLock { $0.entries.totalCost } }
}

/// Why a value has left a `MemoryCache`.
@nonexhaustive
public enum EvictionReason: Hashable, Sendable {
    /// Others needed the room, or a limit was lowered.
    case limit
    /// Its time to live is over; noticed when it is looked up.
    case expired
    /// Another value was inserted for its key.
    case replaced
    /// It was removed.
    case removed
}

/// Entries by key, in a doubly linked list from the newest to the oldest use.
///
/// Removed entries are returned, so that the caller can release them after unlocking.
@usableFromInline
struct LRUList<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let key: Key
        @usableFromInline let value: Value
        @usableFromInline let cost: Int
        /// `nil` for none.
        @usableFromInline let expiry: ContinuousClock.Instant?

        @inlinable
        init(key: Key, value: Value, cost: Int, expiry: ContinuousClock.Instant? = nil) {
            (self.key, self.value, self.cost, self.expiry) = (key, value, cost, expiry)
        }
    }

    /// A place in the list, or an empty one in the list of these.
    @usableFromInline
    struct Node: Sendable {
        @usableFromInline var newer = 0
        @usableFromInline var older = 0
        @usableFromInline var entry: Entry?

        @inlinable init() {}
    }

    /// Closes the list to a ring: the newest entry is `older` than this node, the oldest one `newer`.
    @inlinable static var end: Int { 0 }

    @usableFromInline var indices: [Key: Int] = [:]
    @usableFromInline var nodes = [Node()]
    /// The first empty node, linked by `older`; `end` if there is none.
    @usableFromInline var firstEmpty = end
    @usableFromInline var totalCost = 0

    @usableFromInline init() {}

    var count: Int { indices.count }
    var all: [Entry] { nodes.compactMap(\.entry) }

    /// Both collections double when they are full, a dictionary at three quarters of its buckets.
    static var bytesPerEntry: Int {
        let bucket = MemoryLayout<Key>.stride + MemoryLayout<Int>.stride
        return bucket * 8 / 3 + 1 + 2 * MemoryLayout<Node>.stride
    }

    @inlinable
    mutating func use(_ key: Key) -> (value: Value, expiry: ContinuousClock.Instant?)? {
        guard let index = indices[key] else { return nil }
        unlink(index)
        linkAsNewest(index)
        return nodes[index].entry.map { ($0.value, $0.expiry) }
    }

    /// Adds an entry as the newest; its key must not be present.
    @inlinable
    mutating func add(_ entry: Entry) {
        let index = firstEmpty == Self.end ? nodes.count : firstEmpty
        if index == nodes.count { nodes.append(Node()) } else { firstEmpty = nodes[index].older }
        nodes[index].entry = entry
        indices[entry.key] = index
        totalCost += entry.cost
        linkAsNewest(index)
    }

    @inlinable
    mutating func remove(_ key: Key) -> Entry? {
        guard let index = indices.removeValue(forKey: key), let entry = nodes[index].entry.take() else { return nil }
        unlink(index)
        nodes[index].older = firstEmpty
        firstEmpty = index
        totalCost -= entry.cost
        return entry
    }

    /// Moves the oldest entries to `removed` until cost and count are within limits.
    @inlinable
    mutating func evict(toCost cost: Int, count: Int, into removed: inout [Entry]) {
        while totalCost > cost || indices.count > count, let oldest = nodes[nodes[Self.end].newer].entry,
            let evicted = remove(oldest.key)
        { removed.append(evicted) }
    }

    @inlinable
    mutating func unlink(_ index: Int) {
        let node = (newer: nodes[index].newer, older: nodes[index].older)
        nodes[node.newer].older = node.older
        nodes[node.older].newer = node.newer
    }

    @inlinable
    mutating func linkAsNewest(_ index: Int) {
        let newest = nodes[Self.end].older
        nodes[index].newer = Self.end
        nodes[index].older = newest
        nodes[newest].newer = index
        nodes[Self.end].older = index
    }
}
