import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBench

@Suite("What caches are measured by", .timeLimit(.minutes(10)))
struct CacheBenchTests {
    @Test(
        "Our hit ratio on a scroll lies between that of the oldest insertion and the best there could be",
        arguments: 1...5)
    func trace(seed: UInt64) {
        let trace = CacheTrace(seed: seed)
        let ours = trace.share(of: OurCache(capacity: trace.capacity))
        let fifo = trace.share(of: PlainCache(capacity: trace.capacity))
        #expect(fifo <= ours)
        #expect(ours <= trace.optimalShare)
        #expect(trace.optimalShare < 100)
    }

    @Test("The optimal policy is Belady's: it keeps what comes next")
    func optimal() {
        var trace = CacheTrace(positions: [1, 2, 3, 1, 2, 3], capacity: 2)
        // 1 and 2 are kept while 3 comes, or 1 alone is: two hits, whichever.
        #expect(trace.optimalShare == 200.0 / 6)
        trace = CacheTrace(positions: [1, 1, 1, 1], capacity: 1)
        #expect(trace.optimalShare == 75)
    }

    @Test("The plain cache holds as many as it may, and lets the oldest insertion go however often it was found")
    func plain() {
        let cache = PlainCache(capacity: 2)
        for key in ["a", "b"] { cache.insert(Sample.shared, key) }
        _ = cache.find("a")
        cache.insert(Sample.shared, "b")
        cache.insert(Sample.shared, "c")
        #expect(["a", "b", "c"].map { cache.find($0) != nil } == [false, true, true])
        cache.insert(Sample.shared, "d")
        #expect(["b", "c", "d"].map { cache.find($0) != nil } == [false, true, true])
    }

    @Test("Every thread of a team does its part once", arguments: [1, 2, 5])
    func team(count: Int) {
        let numbers = Mutex<[Int]>([])
        ThreadTeam.run(count) { number in numbers.withLock { $0.append(number) } }
        #expect(numbers.withLock { $0.sorted() } == Array(0..<count))
    }

    // MARK: Disk

    @Test("The folder of the disk cache goes when it has been measured, and nothing else with it")
    func scratch() throws {
        let parent = try TemporaryFolder()
        try parent.write("mine", "x")
        for figure in DiskCacheBench(scratch: parent.path, scale: 0.02, isInMemory: false).figures {
            let clock = TickingClock(step: .milliseconds(100))
            let start = clock.now
            _ = try figure.take(with: Sampler(.quick, now: { start.duration(to: clock.now) }, counters: nil))
        }
        #expect(parent.files == ["mine"])
    }

    @Test("What is stored is not there before")
    func shelf() throws {
        let parent = try TemporaryFolder()
        let shelf = try DiskCacheBench.Shelf(in: parent.path, 3)
        try shelf.findAll()
        shelf.removeAll()
        #expect(throws: BenchError("the disk cache has lost an entry in \(shelf.folder.path)")) { try shelf.findAll() }
        try shelf.storeAll()
        try shelf.findAll()
    }

    @Test("Where files are in memory, nothing is said of reading them cold")
    func memoryFiles() {
        func names(_ isInMemory: Bool) -> [String] {
            DiskCacheBench(scratch: "/tmp", scale: 1, isInMemory: isInMemory).figures.map(\.name)
        }
        #expect(names(true) == ["cache.disk.put", "cache.disk.get.warm"])
        #expect(names(false) == names(true) + ["cache.disk.get.cold"])
    }
}
