import Glibc
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCaching

@Suite("DiskCache: errors")
struct DiskProblemTests {
    private let folder: TemporaryFolder
    private let calendar = ManualCalendar()
    private let problems = CallRecorder<DiskCacheError>()

    init() throws { folder = try TemporaryFolder() }

    private func cache(_ path: String, write: (@Sendable (Int) -> Int)? = nil) -> DiskCache {
        var overrides = DiskCache.Overrides(sweepsAtOnce: true)
        if let write {
            overrides.write = { _, parts, count in write((0..<Int(count)).reduce(0) { $0 + parts[$1].iov_len }) }
        }
        return DiskCache(
            folder: path, byteLimit: 100 * 4096, now: { [calendar] in calendar.now },
            onError: problems.record, overrides: overrides)
    }

    private let entry = CacheEntry(metadata: [1], body: [UInt8](repeating: 2, count: 3000))

    @Test("A full disk leaves no files, one report and a minute without writes")
    func diskFull() throws {
        let good = cache(folder.path)
        for number in 0..<50 {
            good.store(entry, for: "\(number)")
            calendar.advance(by: .seconds(1))
        }
        let attempts = Mutex(0)
        let full = cache(folder.path) { _ in
            attempts.withLock { $0 += 1 }
            errno = attempts.withLock { $0 } == 1 ? ENOSPC : EDQUOT
            return -1
        }
        for _ in 0..<2 { full.store(entry, for: "new") }
        #expect(attempts.withLock { $0 } == 1)
        #expect(problems.values == [.diskFull(folder: folder.path)] && full.entry(for: "new") == nil)
        // It evicted a fifth of the entries.
        #expect(
            try full.statistics() == .init(entries: 40, bytes: 40 * 4096, byteLimit: 100 * 4096, folder: folder.path))
        #expect(full.entry(for: "49") == entry)
        calendar.advance(by: .seconds(61))
        full.store(entry, for: "new")
        // A clock that is set back ends the pause, too.
        calendar.advance(by: .seconds(-86400))
        full.store(entry, for: "new")
        #expect(attempts.withLock { $0 } == 3 && problems.values.count == 1)
        #expect(try folder.countedBytes() == full.statistics().bytes)
    }

    @Test("Short writes are continued")
    func shortWrites() throws {
        var overrides = DiskCache.Overrides()
        overrides.write = { descriptor, parts, _ in write(descriptor, parts[0].iov_base, min(7, parts[0].iov_len)) }
        let cache = DiskCache(folder: folder.path, byteLimit: 1 << 20, overrides: overrides)
        cache.store(entry, for: "moon")
        #expect(cache.entry(for: "moon") == entry)
    }

    @Test("A write that takes no bytes is a full disk")
    func noProgress() throws {
        let cache = cache(folder.path) { _ in 0 }
        #expect(!cache.store(entry, for: "moon") && problems.values == [.diskFull(folder: folder.path)])
    }

    @Test("A path that is a file, or leads through one, is reported once")
    func pathIsAFile() throws {
        try folder.write("file", "foreign")
        for path in [folder.path("file"), folder.path("file/below")] {
            let problems = CallRecorder<DiskCacheError>()
            let cache = DiskCache(folder: path, byteLimit: 1 << 20, onError: problems.record)
            #expect(cache.entry(for: "moon") == nil)
            #expect((0..<2).allSatisfy { _ in !cache.store(entry, for: "moon") })
            cache.remove("moon")
            #expect(problems.values == [.notAFolder(folder: path)])
            #expect(throws: DiskCacheError.notAFolder(folder: path)) { try cache.statistics() }
        }
        #expect(try folder.text("file") == "foreign")
    }

    @Test("A sub-folder that is a file stops only its own entries")
    func subfolderIsAFile() throws {
        let name = EntryName(of: "moon").path.prefix(2)
        try folder.write("\(name)", "foreign")
        let cache = cache(folder.path)
        #expect(!cache.store(entry, for: "moon") && cache.entry(for: "moon") == nil)
        #expect(problems.values == [.notAFolder(folder: folder.path("\(name)"))])
        cache.store(entry, for: "mars")
        #expect(try cache.entry(for: "mars") == entry && cache.statistics().entries == 1)
    }

    @Test("A read-only folder is read", .enabled(if: geteuid() != 0, "root may write everywhere"))
    func readOnly() throws {
        let path = folder.path("cache")
        #expect(cache(path).store(entry, for: "moon"))
        try #require(chmod(path, 0o500) == 0)
        defer { chmod(path, 0o700) }
        for number in UInt8.min...UInt8.max { chmod("\(path)/\(EntryName.folder(number))", 0o500) }
        defer { for number in UInt8.min...UInt8.max { chmod("\(path)/\(EntryName.folder(number))", 0o700) } }
        let cache = cache(path)
        #expect(!cache.store(entry, for: "moon") && cache.entry(for: "moon") == entry)
        #expect(problems.values.count == 1)
    }

    @Test(
        "An impossible path is an error that is reported once",
        arguments: [
            "", "a\0b", String(repeating: "x/", count: 5000), "/tmp/\(String(repeating: "n", count: 300))/cache",
        ])
    func strangePaths(path: String) {
        let cache = cache(path)
        for _ in 0..<3 { #expect(cache.entry(for: "moon") == nil && !cache.store(entry, for: "moon")) }
        #expect(problems.values.count == 1)
    }

    @Test("While another process holds the count, entries can only be read and removed")
    func heldCount() throws {
        let cache = cache(folder.path)
        cache.store(entry, for: "moon")
        let other = open(folder.path("count"), O_RDWR | O_CLOEXEC)
        try #require(flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(!cache.store(entry, for: "mars") && cache.entry(for: "moon") == entry)
        cache.remove("moon")
        #expect(cache.entry(for: "moon") == nil && problems.values.isEmpty)
        close(other)
        #expect(cache.store(entry, for: "mars"))
    }

    @Test("Every error is one line that starts with the path")
    func descriptions() {
        let all: [DiskCacheError] = [
            .notAFolder(folder: "/a"), .notWritable(folder: "/a", reason: "Read-only file system"),
            .diskFull(folder: "/a"), .busy(folder: "/a"), .damagedEntry(file: "/a"),
            .unusable(folder: "/a", reason: "Input/output error"),
        ]
        #expect(Set(all.map(\.kind)).count == all.count)
        #expect(all.allSatisfy { $0.description.hasPrefix("/a: ") && !$0.description.contains("\n") })
    }
}
