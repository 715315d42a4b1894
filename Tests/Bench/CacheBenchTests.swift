import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBench

@Suite("Cache benchmarks", .timeLimit(.minutes(10)))
struct CacheBenchTests {
    @Test("Look-ups hit, in another order than the insertions")
    func hits() throws {
        for threads in [1, 2] {
            let cache = MemoryCacheBench.filledCache()
            let found = Mutex<[String]>([])
            let work = MemoryCacheBench.lookUp(threads) { keys in
                let hits = keys.filter { cache.value(for: $0) != nil }
                found.withLock { $0 += hits }
            }
            try work.run(2)
            #expect(found.withLock(\.count) == 2 * threads * MemoryCacheBench.entryCount)
            #expect(found.withLock { $0 != $0.sorted() })
        }
    }

    @Test("The folder of the disk cache is removed, and nothing else")
    func scratch() throws {
        let parent = try TemporaryFolder()
        try parent.write("mine", "x")
        for benchmark in DiskCacheBench(scratch: parent.path, scale: 0.02).benchmarks {
            let clock = TickingClock(step: .milliseconds(100))
            let start = clock.now
            _ = try benchmark.run(Sampler(.quick, now: { start.duration(to: clock.now) }))
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
