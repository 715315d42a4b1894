import Foundation
import SpyglassCaching
import SpyglassCatalog
import SpyglassFiles
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBench

@Suite("Cache benchmarks", .timeLimit(.minutes(10)))
struct CacheBenchTests {
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

    @Test("Every thread of a team runs its part once a run", arguments: [1, 2, 5])
    func team(count: Int) throws {
        let team = try ThreadTeam(count)
        let numbers = Mutex<[Int]>([])
        for run in 1...100 {
            team.run { number in numbers.withLock { $0.append(number) } }
            #expect(numbers.withLock { $0.suffix(count).sorted() } == Array(0..<count))
            #expect(numbers.withLock { $0.count } == run * count)
        }
    }

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

    @Test("A file system in memory has no cold reads")
    func memoryFiles() {
        func names(_ isInMemory: Bool) -> [String] {
            DiskCacheBench(scratch: "/tmp", scale: 1, isInMemory: isInMemory).benchmarks.map(\.name)
        }
        #expect(names(true) == ["cache.disk.put", "cache.disk.get.warm"])
        #expect(names(false) == names(true) + ["cache.disk.get.cold"])
    }
}

@Suite("ScratchFolder", .timeLimit(.minutes(10)))
struct ScratchFolderTests {
    @Test("It is removed with its contents, and nothing else is")
    func end() throws {
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
    }

    @Test("The folder of a killed process is removed without following links")
    func sweep() throws {
        let parent = try TemporaryFolder()
        try parent.write("mine/x", "1")
        try parent.write("spyglass-bench-aaaaaa/cache/a3/entry", "2")
        try parent.link("spyglass-bench-aaaaaa/mine", to: parent.path("mine"))
        try parent.link("spyglass-bench-bbbbbb", to: parent.path("mine"))
        try parent.write("spyglass-bench-cccccc", "a file")
        try parent.write("spyglass-bench-dddddd2/x", "another name")
        // The new folder is removed immediately; the others are swept.
        _ = try ScratchFolder(in: parent.path)
        #expect(
            parent.files == [
                "mine/x", "spyglass-bench-bbbbbb", "spyglass-bench-cccccc", "spyglass-bench-dddddd2/x",
            ])
    }

    @Test("A folder that is in use is left alone")
    func inUse() throws {
        let parent = try TemporaryFolder()
        let first = try ScratchFolder(in: parent.path)
        let second = try ScratchFolder(in: parent.path)
        #expect(first.path != second.path)
        #expect(TestData.exists(first.path) && TestData.exists(second.path))
    }

    @Test("A missing folder is an error that names it")
    func noParent() {
        let error = #expect(throws: BenchError.self) { try ScratchFolder(in: "/no/such/folder") }
        #expect(error?.description == "cannot create a folder in /no/such/folder: No such file or directory")
    }

    /// Where a tmpfs is mounted; something else may be mounted above one of them.
    private static let memoryFolders = ((try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? "")
        .split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        .filter { $0.count > 2 && $0[2] == "tmpfs" }.map { $0[1] }

    @Test("A tmpfs is in memory", .enabled(if: !ScratchFolderTests.memoryFolders.isEmpty, "needs a tmpfs"))
    func memory() { #expect(Self.memoryFolders.contains { ScratchFolder.isInMemory($0) }) }

    @Test("Other file systems and missing folders are not in memory")
    func types() {
        #expect(!ScratchFolder.isInMemory("/proc"))
        #expect(!ScratchFolder.isInMemory("/no/such/folder"))
    }
}
