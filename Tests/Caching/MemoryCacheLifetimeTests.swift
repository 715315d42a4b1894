@testable import SpyglassCaching
import SpyglassThreads
import Testing

@Suite("MemoryCache: time to live, reasons and changed limits")
struct MemoryCacheLifetimeTests {
    /// What has left a cache, and a clock that a test sets.
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
