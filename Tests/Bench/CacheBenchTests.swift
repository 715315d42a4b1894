import SpyglassCatalog
import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBench

@Suite("Cache benchmarks", .timeLimit(.minutes(10)))
struct CacheBenchTests {
    // MARK: The trace

    @Test(
        "The hit rate lies between FIFO and the optimum in any session",
        arguments: 1...3)
    func trace(seed: UInt64) {
        let trace = CacheTrace(seed: seed, decisions: 100, capacity: 100)
        let ours = trace.share(of: MemoryCacheUnderTest.self)
        #expect(trace.share(of: FIFOCache.self) <= ours)
        #expect(0 < ours && ours <= trace.optimalShare)
        #expect(trace.optimalShare < 100)
    }

    @Test("A recorded session is reproducible, with repeated and single look-ups")
    func recorded() {
        let trace = CacheTrace(seed: 7, decisions: 60)
        #expect(trace.lookUps == CacheTrace(seed: 7, decisions: 60).lookUps)
        #expect(trace.lookUps != CacheTrace(seed: 8, decisions: 60).lookUps)
        let different = Set(trace.lookUps)
        #expect(different.count > 100 && different.count < trace.lookUps.count)
        // Numbered in the order of their first look-up.
        #expect(different == Set(0..<different.count))
    }

    /// The maximum number of hits, by exhaustive search.
    private static func maxHits(_ lookUps: ArraySlice<Int>, keeping kept: Set<Int> = [], _ capacity: Int) -> Int {
        guard let next = lookUps.first else { return 0 }
        let rest = lookUps.dropFirst()
        if kept.contains(next) { return 1 + maxHits(rest, keeping: kept, capacity) }
        let all = kept.union([next])
        guard all.count > capacity else { return maxHits(rest, keeping: all, capacity) }
        return all.map { maxHits(rest, keeping: all.subtracting([$0]), capacity) }.max() ?? 0
    }

    @Test("No policy has more hits than the optimal one", arguments: 1...20)
    func optimal(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let capacity = 1 + random.below(2)
        let lookUps = (0..<9).map { _ in random.below(4) }
        let trace = CacheTrace(lookUps: lookUps, capacity: capacity)
        #expect(trace.optimalShare == 100 * Double(Self.maxHits(lookUps[...], capacity)) / 9)
    }

    @Test("The optimal policy does not cache single look-ups")
    func bypass() {
        #expect(CacheTrace(lookUps: [1, 2, 1, 3, 1], capacity: 1).optimalShare == 40)
    }

    // MARK: Memory

    /// A memory cache that counts its calls.
    private final class WatchedCache: CacheUnderTest {
        static let made = Mutex<[WatchedCache]>([])

        let ours: MemoryCacheUnderTest
        let inserted = Mutex<[String]>([])
        let sought = Mutex<[String]>([])

        init(capacity: Int) {
            ours = MemoryCacheUnderTest(capacity: capacity)
            Self.made.withLock { $0.append(self) }
        }

        func find(_ key: String) -> Sample? {
            sought.withLock { $0.append(key) }
            return ours.find(key)
        }

        func insert(_ sample: Sample, _ key: String) {
            inserted.withLock { $0.append(key) }
            ours.insert(sample, key)
        }

        /// The caches that a job made and ran repeatedly.
        static func watch(_ job: MemoryCacheBench.Job, times: Int) throws -> [WatchedCache] {
            made.withLock { $0 = [] }
            let work = try job(WatchedCache.self)
            for _ in 0..<times {
                try work.prepare?()
                try work.run(1)
            }
            return made.withLock(\.self)
        }
    }

    @Test("Look-ups hit or miss, insertions add, and evicting insertions evict")
    func jobs() throws {
        let count = MemoryCacheBench.entryCount
        for threads in [1, 2, 4] {
            let filled = try WatchedCache.watch(MemoryCacheBench.insert(threads), times: 2)
            #expect(filled.count > 2)
            #expect(filled.allSatisfy { $0.ours.cache.count == count && $0.inserted.withLock { $0.count } == count })

            let hit = try #require(
                try WatchedCache.watch(MemoryCacheBench.lookUp(MemoryCacheBench.present, threads), times: 2).first)
            #expect(hit.ours.cache.counters.hits == 2 * threads * count)
            #expect(hit.ours.cache.counters.misses == 0)
            if threads == 1 {
                #expect(hit.sought.withLock { $0.prefix(count) } != hit.inserted.withLock { $0[...] })
            }

            let miss = try #require(
                try WatchedCache.watch(MemoryCacheBench.lookUp(MemoryCacheBench.absent, threads), times: 2).first)
            #expect(miss.ours.cache.counters.misses == 2 * threads * count)
            #expect(miss.ours.cache.counters.hits == 0)

            let flooded = try #require(try WatchedCache.watch(MemoryCacheBench.evict(threads), times: 2).first)
            let counters = flooded.ours.cache.counters
            #expect(counters.evictions == counters.insertions - count)
            #expect(counters.insertions == count + 2 * MemoryCacheBench.evictingKeyCount(threads))
        }
    }

    @Test("FIFOCache evicts the oldest insertion, however often it was found")
    func plain() {
        let cache = FIFOCache(capacity: 2)
        for key in ["a", "b"] { cache.insert(Sample.shared, key) }
        _ = cache.find("a")
        cache.insert(Sample.shared, "b")
        cache.insert(Sample.shared, "c")
        #expect(["a", "b", "c"].map { cache.find($0) != nil } == [false, true, true])
        cache.insert(Sample.shared, "d")
        #expect(["b", "c", "d"].map { cache.find($0) != nil } == [false, true, true])
    }

    // MARK: Disk

    @Test("The folder of the disk cache is removed, and nothing else")
    func scratch() throws {
        let parent = try TemporaryFolder()
        try parent.write("mine", "x")
        for benchmark in DiskCacheBench(scratch: parent.path, scale: 0.02, isInMemory: false).benchmarks {
            let clock = TickingClock(step: .milliseconds(100))
            let start = clock.now
            _ = try benchmark.run(with: Sampler(.quick, now: { start.duration(to: clock.now) }, counters: nil))
        }
        #expect(parent.files == ["mine"])
    }

    @Test("Entries are stored into an empty cache")
    func cache() throws {
        let parent = try TemporaryFolder()
        let cache = try DiskCacheBench.FilledCache(in: parent.path, 3)
        try cache.findAll()
        cache.removeAll()
        #expect(throws: BenchError("the disk cache lost an entry in \(cache.folder.path)")) { try cache.findAll() }
        try cache.storeAll()
        try cache.findAll()
    }

    @Test("A file system in memory has no cold reads")
    func memoryFiles() {
        func names(_ isInMemory: Bool) -> [String] {
            DiskCacheBench(scratch: "/tmp", scale: 1, isInMemory: isInMemory).benchmarks.map(\.name)
        }
        #expect(names(true) == ["cache.disk.put", "cache.disk.get.warm"])
        #expect(names(false) == names(true) + ["cache.disk.get.cold"])
    }
}
