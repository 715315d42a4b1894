import SpyglassCaching
import Testing

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
                        case 0: cache.remove(key)
                        case 1: cache.trim(toCost: 100)
                        case 2: cache.trim(toCount: 20)
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
        let counters = cache.counters
        #expect(counters.hits + counters.misses == 8 * 25 * 100 + 7 * 100)
        #expect(counters.insertions + counters.rejections == 8 * 21 * 100)
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
