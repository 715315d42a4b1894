import SpyglassCaching
import SpyglassThreads
import Testing

@Suite("MemoryCache: release")
struct MemoryCacheReleaseTests {
    typealias Cache = MemoryCache<Int, Value>

    @Test("The deinit of an evicted value may call the cache")
    func eviction() {
        Self.check { cache in
            cache.insert(Value(), for: 2)
            cache.insert(Value(), for: 3)
        }
    }

    @Test("The deinit of a replaced value may call the cache")
    func replacement() { Self.check { $0.insert(Value(), for: 1) } }

    @Test("The deinit of a removed value may call the cache")
    func removal() { Self.check { $0.remove(1) } }

    @Test("The deinit of a trimmed value may call the cache")
    func trimming() {
        Self.check { $0.trim(toCost: 0) }
        Self.check { $0.trim(toCount: 0) }
    }

    @Test("The deinit of any value may call the cache during removeAll")
    func removalOfAll() { Self.check { $0.removeAll() } }

    @Test("The deinit of a value that a rejected one replaces may call the cache")
    func refusal() { Self.check { $0.insert(Value(cost: 3), for: 1) } }

    @Test("The deinit of a removed key may call the cache")
    func keys() {
        let cache = MemoryCache<ObjectKey, Int>(totalCostLimit: 2, entryCostLimit: 2) { $0 }
        let calls = Mutex(0)
        cache.insert(
            1,
            for: ObjectKey(number: 1) {
                _ = cache.count
                calls.withLock { $0 += 1 }
            })
        cache.insert(2, for: ObjectKey(number: 2) {})
        #expect(calls.withLock { $0 } == 1)
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
        #expect(cache.count == 1)
        #expect(left.withLock { $0 } < 100)
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

/// A key that calls back on deinit.
private final class ObjectKey: Hashable, Sendable {
    let number: Int
    private let onResume: @Sendable () -> Void

    init(number: Int, onResume: @escaping @Sendable () -> Void) {
        self.number = number
        self.onResume = onResume
    }

    deinit { onResume() }

    static func == (left: ObjectKey, right: ObjectKey) -> Bool { left.number == right.number }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
