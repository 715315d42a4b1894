import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBench

@Suite("Cache benchmarks", .timeLimit(.minutes(10)))
struct CacheBenchTests {
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
            let work = job(WatchedCache.self)
            for _ in 0..<times {
                try work.prepare?()
                try work.run(1)
            }
            return made.withLock(\.self)
        }
    }

    @Test("Look-ups hit, and evicting insertions evict")
    func jobs() throws {
        let count = MemoryCacheBench.entryCount
        for threads in [1, 2] {
            let hit = try #require(try WatchedCache.watch(MemoryCacheBench.lookUp(threads), times: 2).first)
            #expect(hit.ours.cache.counters.hits == 2 * threads * count)
            #expect(hit.ours.cache.counters.misses == 0)
            if threads == 1 {
                #expect(hit.sought.withLock { $0.prefix(count) } != hit.inserted.withLock { $0[...] })
            }
            let flooded = try #require(try WatchedCache.watch(MemoryCacheBench.evict(threads), times: 2).first)
            let counters = flooded.ours.cache.counters
            #expect(counters.evictions == counters.insertions - count)
            #expect(counters.insertions == count + 2 * MemoryCacheBench.evictingKeyCount)
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
        for benchmark in DiskCacheBench(scratch: parent.path, scale: 0.02).benchmarks {
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

    @Test("A scratch folder is removed with its contents, and nothing else is")
    func scratchFolder() throws {
        let parent = try TemporaryFolder()
        try parent.write("mine", "x")
        do {
            let folder = try ScratchFolder(in: parent.path)
            let name = String(folder.path.dropFirst(parent.path.count + 1))
            try parent.write("\(name)/a/b/c", "1")
            try parent.link("\(name)/a/link", to: parent.path("mine"))
            #expect(parent.files.count == 3)
        }
        #expect(parent.files == ["mine"])
        let error = #expect(throws: BenchError.self) { try ScratchFolder(in: "/no/such/folder") }
        #expect(error?.description == "cannot create a folder in /no/such/folder: No such file or directory")
    }
}
