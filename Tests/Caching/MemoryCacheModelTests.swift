import SpyglassCaching
import SpyglassThreads
import Testing

@Suite("MemoryCache against a naive model")
struct MemoryCacheModelTests {
    @Test(
        "A million random operations match an exact LRU list and the limits",
        arguments: 1...4)
    func model(seed: UInt64) {
        var random = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15)
        let cache = MemoryCache<Int, Int>(totalCostLimit: 100, countLimit: 12, entryCostLimit: 40) { $0 % 64 }
        var model = NaiveCache(costLimit: 100, countLimit: 12, entryCostLimit: 40)
        var isEqual = true
        for step in 0..<250_000 where isEqual {
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
