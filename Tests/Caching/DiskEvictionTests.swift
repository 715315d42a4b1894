import Glibc
import SpyglassFiles
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCaching

@Suite("DiskCache: eviction")
struct DiskEvictionTests {
    private let folder: TemporaryFolder
    private let calendar = ManualCalendar()

    init() throws { folder = try TemporaryFolder() }

    private func cache(byteLimit: Int, problems: CallRecorder<DiskCacheError>? = nil) -> DiskCache {
        DiskCache(
            folder: folder.path, byteLimit: byteLimit, now: { [calendar] in calendar.now },
            onError: { problems?.record($0) }, overrides: .init(sweepsAtOnce: true))
    }

    private func entry(_ text: String, blocks: Int = 1) -> CacheEntry {
        CacheEntry(
            metadata: Array(text.utf8), body: [UInt8](repeating: 7, count: blocks * DiskCache.blockByteCount - 1000))
    }

    private func keptBytes() throws -> Int {
        try folder.files.filter { $0.utf8.dropFirst(2).first == UInt8(ascii: "/") }
            .reduce(0) { try $0 + DiskCache.charge(folder.read($1).count) }
    }

    @Test("At 90 % of the limit the least recently used are evicted down to 80 %")
    func leastRecentlyUsedFirst() throws {
        let cache = cache(byteLimit: 100 * 4096)
        for number in 0..<90 {
            cache.store(entry("\(number)"), for: "\(number)")
            calendar.advance(by: .seconds(2 * 3600))
        }
        #expect(try cache.statistics().entries == 90)
        for number in 0..<5 { _ = cache.entry(for: "\(number)") }
        cache.store(entry("90"), for: "90")
        #expect((0..<91).filter { cache.entry(for: "\($0)") != nil } == Array(0..<5) + Array(16..<91))
    }

    @Test("Trimming stops at the requested size, clearing at zero")
    func trimming() throws {
        let cache = cache(byteLimit: 1 << 20)
        for number in 0..<20 {
            cache.store(entry("\(number)", blocks: 2), for: "\(number)")
            calendar.advance(by: .seconds(60))
        }
        let removal = try cache.trim(toBytes: 5 * 8192 + 100)
        #expect(removal == DiskCache.RemovalResult(entries: 15, bytes: 15 * 8192, remainingBytes: 5 * 8192))
        #expect((0..<20).filter { cache.entry(for: "\($0)") != nil } == Array(15..<20))
        #expect(try cache.clear().entries == 5)
        #expect(try cache.trim(toBytes: -1) == .init())
    }

    @Test("Unrecognised files survive every sweep")
    func unrecognizedFiles() throws {
        let cache = cache(byteLimit: 1 << 20)
        cache.store(entry("moon"), for: "moon")
        let foreign = [
            "notes.txt", "00/notes.txt", "00/0000000000000001", "zz/0000000000000001", "00/tmp-x", "00/f0/x",
        ]
        for name in foreign { try folder.write(name, "foreign") }
        let removal = try cache.clear()
        #expect([removal.entries, removal.unrecognizedFiles] == [1, 1])
        #expect(try foreign.allSatisfy { try folder.text($0) == "foreign" })
    }

    @Test("A sweep removes files of ended writers, not of running ones")
    func temporaryFiles() throws {
        let cache = cache(byteLimit: 1 << 20)
        cache.store(entry("moon"), for: "moon")
        let names = ["00/tmp-0123456789abcdef", "00/tmp-ffffffffffffffff"]
        for name in names { try folder.write(name, [UInt8](repeating: 0, count: 5000)) }
        let live = open(folder.path(names[1]), O_RDWR | O_CLOEXEC)
        try #require(flock(live, LOCK_EX | LOCK_NB) == 0)
        #expect(try cache.statistics().temporaryFiles == 2)
        let removal = try cache.trim(toBytes: 1 << 20)
        #expect(removal == DiskCache.RemovalResult(temporaryFiles: 1, bytes: 8192, remainingBytes: 4096 + 8192))
        #expect(folder.files.filter { $0.hasPrefix("00/") } == [names[1]])
        close(live)
        #expect(try cache.clear().temporaryFiles == 1)
    }

    @Test("While another process sweeps, maintenance reports it")
    func busy() throws {
        let cache = cache(byteLimit: 1 << 20)
        cache.store(entry("moon"), for: "moon")
        let other = open(folder.path("sweeping"), O_RDWR | O_CLOEXEC)
        try #require(flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: DiskCacheError.busy(folder: folder.path)) { try cache.clear() }
        close(other)
        #expect(try cache.clear().entries == 1)
    }

    @Test("Without a sweep the limit holds: entries beyond it are rejected")
    func noSweep() throws {
        let cache = cache(byteLimit: 100 * 4096)
        cache.store(entry("0"), for: "0")
        let other = open(folder.path("sweeping"), O_RDWR | O_CLOEXEC)
        defer { close(other) }
        try #require(flock(other, LOCK_EX | LOCK_NB) == 0)
        let stored = (1..<150).filter { cache.store(entry("\($0)"), for: "\($0)") }.count
        #expect(try keptBytes() == 100 * 4096)
        #expect(stored == 99 && cache.entry(for: "0") != nil)
    }

    @Test("A use updates the entry's time after an hour, not earlier")
    func lastUse() throws {
        let cache = cache(byteLimit: 1 << 20)
        cache.store(entry("moon"), for: "moon")
        let name = EntryName(of: "moon").path
        let stored = calendar.now
        for (seconds, isUpdated) in [(3500, false), (200, true)] as [(Int64, Bool)] {
            calendar.advance(by: .seconds(seconds))
            _ = cache.entry(for: "moon")
            #expect(try time(name) == (isUpdated ? calendar.now : stored))
        }
    }

    @Test("A clock before 1970 or at the end of time traps nothing", arguments: [Int64.min, -5_000_000_000_000, .max])
    func strangeClocks(milliseconds: Int64) throws {
        let cache = DiskCache(
            folder: folder.path, byteLimit: 100 * 4096, now: { WallTime(milliseconds: milliseconds) },
            overrides: .init(sweepsAtOnce: true))
        for number in 0..<120 { cache.store(entry("\(number)"), for: "\(number)") }
        #expect(try cache.statistics().bytes <= 100 * 4096)
        cache.store(entry("last"), for: "last")
        #expect(cache.entry(for: "last") == entry("last"))
        _ = try cache.clear()
    }

    @Test("Random work of two caches on a folder keeps the limit and the bytes")
    func randomWorkload() throws {
        let byteLimit = 60 * 4096
        let caches = [cache(byteLimit: byteLimit), cache(byteLimit: byteLimit)]
        var model: [String: CacheEntry] = [:]
        var found = 0
        for step in 0..<3000 {
            let cache = caches[Int.random(in: 0..<2)]
            let key = "\(Int.random(in: 0..<80))"
            switch Int.random(in: 0..<10) {
            case 0..<5:
                let new = entry("\(step)", blocks: Int.random(in: 1...6))
                if cache.store(new, for: key) { model[key] = new }
            case 5..<9:
                guard let entry = cache.entry(for: key) else { continue }
                #expect(entry == model[key])
                found += 1
            default:
                cache.remove(key)
                model[key] = nil
            }
            calendar.advance(by: .seconds(Int64.random(in: 0...4000)))
            if step % 50 == 0 { #expect(try keptBytes() <= byteLimit) }
        }
        #expect(found > 100)
        #expect(try folder.countedBytes() == keptBytes())
    }

    @Test("Many threads on two caches leave an exact count and valid entries")
    func threads() async throws {
        let byteLimit = 200 * 4096
        let caches = (0..<2).map { _ in DiskCache(folder: folder.path, byteLimit: byteLimit) }
        let threads = ThreadPool(count: 4)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    try await threads.run { _ in
                        let cache = caches[number % 2]
                        let key = "\(number % 30)"
                        let new = CacheEntry(
                            metadata: Array(key.utf8), body: [UInt8](repeating: UInt8(number % 30), count: 6000))
                        switch number % 7 {
                        case 0: cache.remove(key)
                        case 1...3: cache.store(new, for: key)
                        default: if let entry = cache.entry(for: key) { #expect(entry == new) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try folder.countedBytes() == keptBytes())
        #expect(try caches[0].statistics().temporaryFiles == 0)
    }

    @Test("A count that is a day old is counted again")
    func recount() throws {
        let cache = cache(byteLimit: 1 << 20)
        for number in 0..<10 { cache.store(entry("\(number)"), for: "\(number)") }
        // Behind the cache's back.
        for name in folder.files where name.utf8.dropFirst(2).first == UInt8(ascii: "/") { unlink(folder.path(name)) }
        #expect(try folder.countedBytes() == 10 * 4096)
        calendar.advance(by: .seconds(25 * 3600))
        cache.store(entry("moon"), for: "moon")
        #expect(try folder.countedBytes() == 4096)
    }

    private func time(_ name: String) throws -> WallTime {
        var status = stat()
        try #require(lstat(folder.path(name), &status) == 0)
        return WallTime(
            milliseconds: Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000)
    }
}

@Suite("DiskUsageCounter")
struct DiskUsageCounterTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("While a process is stopped with the lock, only the first caller waits")
    func stoppedNeighbour() throws {
        let state = Mutex((attempts: 0, isStopped: true))
        let files = try DiskFolder.opening(folder.path)
        let usage = DiskUsageCounter(folder: files, timeout: .milliseconds(10)) { descriptor, operation in
            let isStopped = state.withLock { state in
                state.attempts += 1
                return state.isStopped
            }
            guard isStopped else { return flock(descriptor, operation) }
            errno = EWOULDBLOCK
            return -1
        }
        let busy = FileError("flock", code: EWOULDBLOCK)
        #expect(throws: busy) { try usage.withCount { $0.bytes } }
        #expect(state.withLock { $0.attempts } == 11)
        state.withLock { $0.attempts = 0 }
        for _ in 0..<5 { #expect(throws: busy) { try usage.withCount { $0.bytes } } }
        #expect(state.withLock { $0.attempts } == 5)
        state.withLock { $0.isStopped = false }
        #expect(try usage.withCount { $0.bytes } == nil)
    }

    @Test("Counts are clamped at both ends")
    func clamping() throws {
        let usage = DiskUsageCounter(folder: try DiskFolder.opening(folder.path))
        try usage.withCount { count throws(FileError) in
            try count.set(.max - 10, recounted: WallTime(seconds: 0))
            try count.add(.max)
            #expect(count.bytes == .max)
            count.subtract(.max)
            count.subtract(.max)
            #expect(count.bytes == 0)
        }
        #expect(try usage.withCount { $0.bytes } == 0)
    }
}
