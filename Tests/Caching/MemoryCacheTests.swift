import SpyglassCaching
import SpyglassThreads
import Testing

@Suite("MemoryCache")
struct MemoryCacheTests {
    // MARK: Order

    @Test("The least recently used entry is evicted first")
    func order() {
        let cache = Self.cache(limit: 3)
        for key in 1...3 { cache.insert(1, for: key) }
        _ = cache.value(for: 1)
        cache.insert(1, for: 2)
        cache.insert(1, for: 4)
        #expect(Self.keys(of: cache, in: 1...4) == [1, 2, 4])
        cache.insert(1, for: 5)
        #expect(Self.keys(of: cache, in: 1...5) == [2, 4, 5])
    }

    @Test("A new value stays when the cache is full")
    func newcomer() {
        let cache = Self.cache(limit: 4)
        for key in 0..<8 { cache.insert(1, for: key) }
        #expect(Self.keys(of: cache, in: 0...7) == [4, 5, 6, 7])
    }

    @Test("A miss changes nothing but its counter")
    func miss() {
        let cache = Self.cache(limit: 2)
        cache.insert(1, for: 1)
        #expect(cache.value(for: 2) == nil)
        #expect(cache.count == 1)
        #expect(cache.counters.misses == 1)
    }

    @Test("peek finds the value and changes no order and no counter")
    func peek() {
        let cache = Self.cache(limit: 2)
        cache.insert(1, for: 1)
        cache.insert(1, for: 2)
        let counters = cache.counters
        #expect(cache.peek(1) == 1)
        #expect(cache.peek(3) == nil)
        #expect(cache.counters == counters)
        cache.insert(1, for: 3)
        #expect(Self.keys(of: cache, in: 1...3) == [2, 3])
    }

    // MARK: Limits

    @Test("The total cost is exact and never above its limit")
    func exactCost() {
        let cache = MemoryCache<Int, Int>(totalCostLimit: 10, entryCostLimit: 10) { $0 }
        cache.insert(4, for: 1)
        cache.insert(5, for: 2)
        cache.insert(2, for: 1)
        #expect(cache.totalCost == 7)
        cache.insert(6, for: 3)
        #expect(cache.totalCost == 8)
        #expect(Self.keys(of: cache, in: 1...3) == [1, 3])
        cache.remove(3)
        #expect(cache.totalCost == 2)
    }

    @Test("A costlier replacement evicts others, not itself")
    func growing() {
        let cache = MemoryCache<Int, Int>(totalCostLimit: 10, entryCostLimit: 10) { $0 }
        for key in 1...5 { cache.insert(2, for: key) }
        #expect(cache.insert(10, for: 1))
        #expect(Self.keys(of: cache, in: 1...5) == [1])
        #expect(cache.totalCost == 10)
    }

    @Test("The count is never above its limit")
    func countLimit() {
        let cache = MemoryCache<Int, Int>(totalCostLimit: .max, countLimit: 3) { _ in 0 }
        for key in 0..<100 {
            cache.insert(key, for: key)
            #expect(cache.count <= 3)
        }
        #expect(Self.keys(of: cache, in: 0...99) == [97, 98, 99])
    }

    @Test("A value above its limit is rejected and removes its key's old value")
    func refusal() {
        let cache = MemoryCache<String, Int>(totalCostLimit: 100) { $0 }
        #expect(cache.entryCostLimit == 10)
        #expect(cache.insert(10, for: "m31"))
        #expect(cache.insert(10, for: "m42"))
        #expect(!cache.insert(11, for: "m31"))
        #expect(cache.value(for: "m31") == nil)
        #expect(cache.value(for: "m42") == 10)
        #expect(cache.totalCost == 10)
        #expect(cache.counters.rejections == 1)
        #expect(cache.counters.evictions == 0)
    }

    @Test(
        "Huge costs neither overflow nor exceed a limit", arguments: [Int.min, -1, 0, 1, .max - 1, .max])
    func hostileCosts(cost: Int) {
        let cache = MemoryCache<Int, Int>(totalCostLimit: .max, entryCostLimit: .max) { $0 }
        for key in 0..<5 { #expect(cache.insert(cost, for: key)) }
        cache.insert(1, for: 5)
        cache.insert(cost, for: 5)
        for key in 0..<5 { cache.insert(.max, for: key) }
        #expect(cache.totalCost >= 0)
        for key in 0..<6 { cache.remove(key) }
        #expect(cache.totalCost == 0)
        #expect(cache.count == 0)
    }

    @Test("Limits below zero are zero: only values of no cost are stored")
    func negativeLimits() {
        let cache = MemoryCache<Int, Int>(totalCostLimit: -5, entryCostLimit: -7) { $0 }
        #expect(cache.totalCostLimit == 0)
        #expect(cache.entryCostLimit == 0)
        #expect(!cache.insert(1, for: 1))
        #expect(cache.insert(0, for: 1))
        let closed = MemoryCache<Int, Int>(totalCostLimit: 100, countLimit: -1) { $0 }
        #expect(!closed.insert(0, for: 1))
        #expect(closed.count == 0)
        #expect(closed.counters.rejections == 1)
    }

    @Test("The limit of one entry is never above that of all")
    func entryLimit() {
        #expect(MemoryCache<Int, Int>(totalCostLimit: 10, entryCostLimit: 20) { $0 }.entryCostLimit == 10)
    }

    @Test("The cost of a value is computed once, on insertion")
    func costOnce() {
        let questions = Mutex(0)
        let cache = MemoryCache<Int, Int>(totalCostLimit: 100) { _ in
            questions.withLock { $0 += 1 }
            return 1
        }
        cache.insert(1, for: 1)
        _ = cache.value(for: 1)
        cache.trim(toCost: 0)
        #expect(questions.withLock { $0 } == 1)
    }

    @Test("A cost function may call the cache")
    func reentrancy() {
        for number in 1...2 { Self.asked.insert(number, for: number) }
        #expect(Self.asked.value(for: 2) == 2)
        #expect(Self.asked.counters.misses == 2)
    }

    /// Holds one entry, and is asked for another while one is inserted.
    private static let asked = MemoryCache<Int, Int>(totalCostLimit: 1, entryCostLimit: 1, cost: cost)

    private static func cost(_ value: Int) -> Int { asked.value(for: 3) ?? 1 }

    @Test("A cost function can add the cache's own memory for an entry")
    func bytesPerEntry() {
        let perEntry = MemoryCache<Int, Int>.bytesPerEntry
        // Key, value, cost and two links, of which half may be empty, and the key's bucket.
        #expect(perEntry >= 2 * 5 * 8 + 2 * 8)
        #expect(perEntry < 200)
        let cache = MemoryCache<Int, Int>(totalCostLimit: 4096, entryCostLimit: 4096) { _ in perEntry }
        for key in 0..<1000 { cache.insert(key, for: key) }
        #expect(cache.count == 4096 / perEntry)
    }

    // MARK: Trimming and forgetting

    @Test("Trimming evicts the oldest down to the requested cost")
    func trimming() {
        let cache = Self.cache(limit: 10)
        for key in 0..<10 { cache.insert(1, for: key) }
        cache.trim(toCost: 7)
        #expect(Self.keys(of: cache, in: 0...9) == Array(3...9))
        cache.trim(toCount: 2)
        #expect(Self.keys(of: cache, in: 0...9) == [8, 9])
        cache.trim(toCost: .max)
        #expect(cache.count == 2)
        cache.trim(toCost: -1)
        #expect(cache.count == 0)
        #expect(cache.counters.evictions == 10)
    }

    @Test("remove returns the value once, and its slot is reused")
    func removing() {
        let cache = Self.cache(limit: 4)
        for round in 0..<1000 {
            cache.insert(1, for: round)
            #expect(cache.remove(round) == 1)
            #expect(cache.remove(round) == nil)
        }
        #expect(cache.count == 0)
        #expect(cache.counters.evictions == 0)
    }

    @Test("removeAll keeps the counters, and the cache works as before")
    func removingAll() {
        let cache = Self.cache(limit: 1000)
        for key in 0..<500 { cache.insert(1, for: key) }
        cache.removeAll()
        #expect(cache.count == 0)
        #expect(cache.totalCost == 0)
        #expect(cache.value(for: 1) == nil)
        #expect(cache.counters.insertions == 500)
        for key in 0..<1000 { cache.insert(1, for: key) }
        #expect(Self.keys(of: cache, in: 0...999).count == 1000)
    }

    // MARK: Keys

    @Test("Keys of equal hashes are distinguished")
    func collisions() {
        let cache = MemoryCache<Colliding, Int>(totalCostLimit: 60, entryCostLimit: 1) { _ in 1 }
        for number in 0..<100 { cache.insert(number, for: Colliding(number: number)) }
        for number in stride(from: 40, to: 100, by: 3) { cache.remove(Colliding(number: number)) }
        for number in 0..<100 {
            let isThere = number >= 40 && (number - 40) % 3 != 0
            #expect(cache.value(for: Colliding(number: number)) == (isThere ? number : nil))
        }
    }

    @Test("A hundred thousand entries are all found")
    func many() {
        let cache = Self.cache(limit: 100_000)
        for key in 0..<100_000 { cache.insert(1, for: key) }
        var found = 0
        for key in 0..<100_000 where cache.value(for: key) != nil { found += 1 }
        #expect(found == 100_000)
        cache.trim(toCount: 1)
        #expect(cache.value(for: 99_999) == 1)
    }

    // MARK: Helpers

    private static func cache(limit: Int) -> MemoryCache<Int, Int> {
        MemoryCache(totalCostLimit: limit, entryCostLimit: limit) { $0 }
    }

    /// The keys that are there, found from the oldest of the range on.
    private static func keys(of cache: MemoryCache<Int, Int>, in keys: ClosedRange<Int>) -> [Int] {
        keys.filter { cache.value(for: $0) != nil }
    }
}

/// A key whose hashes are all equal.
private struct Colliding: Hashable, Sendable {
    let number: Int

    func hash(into hasher: inout Hasher) {}
}
