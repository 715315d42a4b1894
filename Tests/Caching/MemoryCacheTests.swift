import SpyglassThreads
import Testing

@testable import SpyglassCaching

@Suite("MemoryCache")
struct MemoryCacheTests {
    @Test("A value above its limit is rejected and removes its key's old value")
    func refusal() {
        let cache = MemoryCache<String, Int>(totalCostLimit: 100) { $0 }
        #expect(cache.entryCostLimit == 10)
        #expect([("m31", 10), ("m42", 10), ("m31", 11)].map { cache.insert($1, for: $0) } == [true, true, false])
        #expect(["m31", "m42"].map { cache.value(for: $0) } == [nil, 10])
        #expect(cache.totalCost == 10)
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
        #expect([cache.totalCost, cache.count] == [0, 0])
    }

    @Test("Limits below zero are zero: only values of no cost are stored")
    func negativeLimits() {
        let cache = MemoryCache<Int, Int>(totalCostLimit: -5, entryCostLimit: -7) { $0 }
        #expect([cache.totalCostLimit, cache.entryCostLimit] == [0, 0])
        #expect([1, 0].map { cache.insert($0, for: 1) } == [false, true])
        let closed = MemoryCache<Int, Int>(totalCostLimit: 100, countLimit: -1) { $0 }
        #expect(!closed.insert(0, for: 1) && closed.count == 0)
        #expect(MemoryCache<Int, Int>(totalCostLimit: 10, entryCostLimit: 20) { $0 }.entryCostLimit == 10)
    }

    @Test("A cost function may call the cache")
    func reentrancy() {
        for number in 1...2 { Self.asked.insert(number, for: number) }
        #expect(Self.asked.value(for: 2) == 2)
    }

    /// Holds one entry, and is asked for another while one is inserted.
    private static let asked = MemoryCache<Int, Int>(totalCostLimit: 1, entryCostLimit: 1, cost: cost)

    private static func cost(_ value: Int) -> Int { asked.value(for: 3) ?? 1 }

    @Test("A cost function can add the cache's own memory for an entry")
    func bytesPerEntry() {
        let perEntry = MemoryCache<Int, Int>.bytesPerEntry
        // Key, value, cost and two links, of which half may be empty, and the key's bucket.
        #expect((2 * 5 * 8 + 2 * 8..<200).contains(perEntry))
        let cache = MemoryCache<Int, Int>(totalCostLimit: 4096, entryCostLimit: 4096) { _ in perEntry }
        for key in 0..<1000 { cache.insert(key, for: key) }
        #expect(cache.count == 4096 / perEntry)
    }

    @Test("Keys of equal hashes are distinguished")
    func collisions() {
        let cache = MemoryCache<Colliding, Int>(totalCostLimit: 60, entryCostLimit: 1) { _ in 1 }
        for number in 0..<100 { cache.insert(number, for: Colliding(number: number)) }
        for number in stride(from: 40, to: 100, by: 3) { cache.remove(Colliding(number: number)) }
        let found = (0..<100).filter { cache.value(for: Colliding(number: $0)) == $0 }
        #expect(found == (40..<100).filter { ($0 - 40) % 3 != 0 })
    }

}

/// A key whose hashes are all equal.
private struct Colliding: Hashable, Sendable {
    let number: Int

    func hash(into hasher: inout Hasher) {}
}

@Suite("MemoryCache: release")
struct MemoryCacheReleaseTests {
    typealias Cache = MemoryCache<Int, Value>

    @Test("The deinit of a value that leaves in any way may call the cache")
    func leaving() {
        let evict: (Cache) -> Void = { cache in for key in 2...3 { cache.insert(Value(), for: key) } }
        let operations: [(Cache) -> Void] = [
            evict, { $0.insert(Value(), for: 1) }, { $0.remove(1) },
            { $0.removeAll() }, { $0.insert(Value(cost: 3), for: 1) },
        ]
        for operation in operations { Self.check(operation) }
    }

    @Test("A deinit may insert, and so evict the next")
    func chain() {
        let cache = Cache(totalCostLimit: 1, entryCostLimit: 1) { $0.cost }
        let left = Mutex(100)
        @Sendable func next() {
            let number = left.withLock { left in
                left -= 1
                return left
            }
            guard number >= 0 else { return }
            cache.insert(Value { next() }, for: number)
        }
        cache.insert(Value { next() }, for: 1000)
        cache.insert(Value(), for: 1001)
        #expect(left.withLock { $0 } < 100 && cache.count == 1)
        left.withLock { $0 = 0 }
        cache.removeAll()
    }

    @Test("Releasing the cache releases each key and value once")
    func end() {
        let released = Mutex(0)
        do {
            let cache = Cache(totalCostLimit: 100, entryCostLimit: 1) { $0.cost }
            for key in 0..<150 { cache.insert(Value { released.withLock { $0 += 1 } }, for: key) }
            for key in 60..<70 { cache.remove(key) }
            #expect(released.withLock { $0 } == 60)
        }
        #expect(released.withLock { $0 } == 150)
    }

    /// Expects that the deinit of key 1's value runs once in `operation` and can call the cache.
    private static func check(_ operation: (Cache) -> Void) {
        let calls = Mutex(0)
        let cache = Cache(totalCostLimit: 2, entryCostLimit: 2) { $0.cost }
        cache.insert(
            Value { [weak cache] in
                _ = cache?.value(for: 2)
                calls.withLock { $0 += 1 }
            }, for: 1)
        #expect(calls.withLock { $0 } == 0)
        operation(cache)
        #expect(calls.withLock { $0 } == 1)
    }
}

/// A value that calls back on deinit.
final class Value: Sendable {
    let cost: Int
    private let onResume: @Sendable () -> Void

    init(cost: Int = 1, onResume: @escaping @Sendable () -> Void = {}) {
        self.cost = cost
        self.onResume = onResume
    }

    deinit { onResume() }
}

@Suite("MemoryCache: storms")
struct MemoryCacheStormTests {
    @Test("Concurrent tasks get values of their keys, within the limits")
    func storm() async {
        let cache = MemoryCache<Int, Entry>(totalCostLimit: 200, countLimit: 40, entryCostLimit: 50) { $0.cost }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<5_000 {
                        let key = (step &* 7919 &+ task &* 104_729) % 97
                        switch step % 50 {
                        case 0...2: cache.remove(key)
                        case 3 where task == 0: cache.removeAll()
                        case 4...24: cache.insert(Entry(key: key, cost: step % 60), for: key)
                        default:
                            if let entry = cache.value(for: key), entry.key != key {
                                Issue.record("key \(key) has the value of \(entry.key)")
                            }
                        }
                        if step % 10 == 0 {
                            let (cost, count) = (cache.totalCost, cache.count)
                            if cost > 200 || count > 40 { Issue.record("\(count) entries cost \(cost)") }
                        }
                    }
                }
            }
        }
    }
}

/// A value that knows its key.
private final class Entry: Sendable {
    let key: Int
    let cost: Int

    init(key: Int, cost: Int) {
        self.key = key
        self.cost = cost
    }
}

@Suite("MemoryCache: time to live, reasons and changed limits")
struct MemoryCacheLifetimeTests {
    /// Records the entries that leave a cache; a test sets its clock.
    private final class Log: Sendable {
        let gone = Mutex<[String]>([])
        let now = Mutex(ContinuousClock.now)

        func pass(_ duration: Duration) { now.withLock { $0 = $0.advanced(by: duration) } }

        func cache(count: Int = .max, timeToLive: Duration? = nil) -> MemoryCache<String, Int> {
            MemoryCache(
                .max, count, nil, timeToLive, nil,
                { key, _, reason in
                    self.gone.withLock { $0.append("\(key) \(reason)") }
                }, now: { self.now.withLock { $0 } })
        }
    }

    private let log = Log()
    private var gone: [String] { log.gone.withLock { $0 } }

    @Test("A value expires after its time to live, which starts again when it is replaced")
    func expiry() {
        let cache = log.cache(timeToLive: .seconds(60))
        (cache["a"], cache["b"]) = (1, 2)
        log.pass(.seconds(59))
        #expect(cache["a"] == 1)
        cache["b"] = 3
        log.pass(.seconds(1))
        #expect(cache["a"] == nil && cache["b"] == 3 && cache.count == 1)
        #expect(gone == ["b replaced", "a expired"])
    }

    @Test("Every way out has its reason")
    func reasons() {
        let cache = log.cache(count: 2)
        for (index, key) in ["a", "b", "c"].enumerated() { cache[key] = index }
        cache["b"] = nil
        cache.countLimit = 0
        cache["d"] = 1
        #expect(gone == ["a limit", "b removed", "c limit"])
        cache.countLimit = 5
        cache["e"] = 1
        cache.removeAll()
        #expect(gone.last == "e removed" && cache.count == 0)
    }

    @Test("A smaller limit evicts the oldest at once")
    func limits() {
        let cache = MemoryCache<Int, Int>(totalCostLimit: 100, entryCostLimit: 100) { $0 }
        for key in 1...10 { cache[key] = 10 }
        cache.totalCostLimit = 35
        #expect(cache.totalCost == 30 && cache[7] == nil && cache[8] == 10)
        #expect(cache.totalCostLimit == 35 && cache.countLimit == .max && cache.timeToLive == nil)
    }
}

@Suite("MemoryCache against a naive model")
struct MemoryCacheModelTests {
    @Test(
        "Random operations match an exact LRU list and the limits",
        arguments: 1...4)
    func model(seed: UInt64) {
        var random = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15)
        let cache = MemoryCache<Int, Int>(totalCostLimit: 100, countLimit: 12, entryCostLimit: 40) { $0 % 64 }
        var model = NaiveCache(costLimit: 100, countLimit: 12, entryCostLimit: 40)
        var isEqual = true
        for step in 0..<100_000 where isEqual {
            let key = random.next(below: 24)
            switch random.next(below: 64) {
            case 0: isEqual = cache.remove(key) == model.remove(key)
            case 1 where step % 16 == 0:
                cache.removeAll()
                model.entries = []
            case 2...28: isEqual = cache.insert(step, for: key) == model.insert(step, key)
            default: isEqual = cache.value(for: key) == model.use(key)
            }
            let count = cache.count
            let cost = cache.totalCost
            isEqual = isEqual && count == model.entries.count && cost == model.totalCost && cost <= 100 && count <= 12
            if !isEqual { Issue.record("the cache and the model differ after \(step + 1) operations") }
        }
    }
}

/// The plainest cache that evicts exactly the least recently used: a list, the oldest in front.
struct NaiveCache {
    let costLimit: Int
    let countLimit: Int
    let entryCostLimit: Int
    var entries: [(key: Int, value: Int, cost: Int)] = []

    init(costLimit: Int, countLimit: Int, entryCostLimit: Int) {
        self.costLimit = costLimit
        self.countLimit = countLimit
        self.entryCostLimit = entryCostLimit
    }

    var totalCost: Int {
        var sum = 0
        for entry in entries { sum += entry.cost }
        return sum
    }

    mutating func use(_ key: Int) -> Int? {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.value
    }

    mutating func insert(_ value: Int, _ key: Int) -> Bool {
        remove(key)
        guard value % 64 <= entryCostLimit else { return false }
        trim(cost: costLimit - value % 64, count: countLimit - 1)
        entries.append((key, value, value % 64))
        return true
    }

    @discardableResult
    mutating func remove(_ key: Int) -> Int? {
        entries.firstIndex { $0.key == key }.map { entries.remove(at: $0).value }
    }

    mutating func trim(cost: Int, count: Int) {
        while totalCost > cost || entries.count > count { entries.removeFirst() }
    }
}

/// Marsaglia's xorshift64: the same numbers for the same seed, everywhere.
struct Xorshift {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(truncatingIfNeeded: (state >> 33)) % bound
    }
}
