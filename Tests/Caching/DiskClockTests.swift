import Glibc
import SpyglassTestSupport
import Testing

@testable import SpyglassCaching

/// The calendar is set by people: by years, between runs and in the middle of one.
@Suite("DiskCache: clock jumps")
struct DiskClockTests {
    private let folder: TemporaryFolder
    private let calendar = ManualCalendar()

    init() throws { folder = try TemporaryFolder() }

    private static let years: Duration = .seconds(10 * 365 * 86400)
    private let entry = CacheEntry(metadata: [], body: [UInt8](repeating: 7, count: 3000))

    private func cache() -> DiskCache {
        DiskCache(
            folder: folder.path, byteLimit: 100 * 4096, now: { [calendar] in calendar.now },
            overrides: .init(sweepsAtOnce: true))
    }

    /// Stores an entry and removes its file, which only a recount notices.
    private func lose(_ cache: DiskCache) throws {
        cache.store(entry, for: "lost")
        try #require(unlink(folder.path(EntryName(of: "lost").path)) == 0)
    }

    /// Whether storing causes a recount.
    private func isSwept(by cache: DiskCache) throws -> Bool {
        #expect(cache.store(entry, for: "next"))
        return try folder.countedBytes() == cache.statistics().bytes
    }

    @Test("A clock jump causes one recount", arguments: [true, false], [true, false])
    func oneSweep(isForward: Bool, isSameRun: Bool) throws {
        let first = cache()
        for number in 0..<10 { first.store(entry, for: "\(number)") }
        try lose(first)
        calendar.advance(by: isForward ? Self.years : .zero - Self.years)
        let second = isSameRun ? first : cache()
        #expect(try isSwept(by: second))
        for _ in 0..<3 {
            try lose(second)
            calendar.advance(by: .seconds(60))
            #expect(try !isSwept(by: second))
        }
        #expect(try second.statistics().entries == 11)
        #expect((0..<10).allSatisfy { second.entry(for: "\($0)") == entry })
    }

    @Test("An entry stored under a fast clock ages like the others", arguments: [true, false])
    func aheadIsNotNewest(isSameRun: Bool) throws {
        calendar.advance(by: Self.years)
        let first = cache()
        #expect((0..<85).allSatisfy { first.store(entry, for: "ahead \($0)") })
        calendar.advance(by: .zero - Self.years)
        let second = isSameRun ? first : cache()
        // This store recounts, and sets the times of older entries to now.
        second.store(entry, for: "new 0")
        for number in 1..<70 {
            calendar.advance(by: .seconds(60))
            second.store(entry, for: "new \(number)")
        }
        #expect((60..<70).allSatisfy { second.entry(for: "new \($0)") != nil })
        #expect((0..<85).count { second.entry(for: "ahead \($0)") != nil } < 30)
    }

    @Test(
        "A use or a sweep corrects impossible times", arguments: [1 << 40, -1 << 40, Int.max / 1000])
    func strangeTimes(seconds: Int) throws {
        let cache = cache()
        for key in ["used", "swept"] {
            cache.store(entry, for: key)
            let stamp = timespec(tv_sec: seconds, tv_nsec: 0)
            utimensat(AT_FDCWD, folder.path(EntryName(of: key).path), [stamp, stamp], 0)
        }
        #expect(cache.entry(for: "used") == entry)
        #expect(try time("used") == calendar.now.seconds)
        try cache.trim(toBytes: 100 * 4096)
        if seconds > 0 { #expect(try time("swept") == calendar.now.seconds) }
        #expect(try cache.clear().entries == 2)
    }

    private func time(_ key: String) throws -> Int64 {
        var status = stat()
        try #require(lstat(folder.path(EntryName(of: key).path), &status) == 0)
        return Int64(status.st_mtim.tv_sec)
    }
}
