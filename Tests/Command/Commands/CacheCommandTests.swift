import SpyglassCaching
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("cache", .timeLimit(.minutes(10)))
struct CacheCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var fake: FakeSystem {
        var fake = FakeSystem()
        fake.environment["XDG_CACHE_HOME"] = folder.path
        return fake
    }

    /// Fills the cache with entries of 1,000 bytes.
    private func fill(_ count: Int) {
        let cache = DiskCache(folder: folder.path("spyglass"), byteLimit: 1 << 30)
        for number in 0..<count {
            cache.store(
                CacheEntry(metadata: [], body: [UInt8](repeating: UInt8(number), count: 1000)), for: "key \(number)")
        }
    }

    @Test("path prints the folder of --cache, XDG_CACHE_HOME or HOME")
    func path() async {
        #expect(await fake.run("cache", "path").output == "\(folder.path)/spyglass\n")
        #expect(await fake.run("cache", "path", "--cache-dir", "/elsewhere").output == "/elsewhere\n")
        for relative in ["", "relative"] {
            var home = FakeSystem()
            home.environment["HOME"] = "/home/someone"
            home.environment["XDG_CACHE_HOME"] = relative
            #expect(await home.run("cache", "path").output == "/home/someone/.cache/spyglass\n")
        }
    }

    @Test("Without a cache folder it names what to set")
    func noFolder() async {
        let outcome = await FakeSystem().run("cache", "stats")
        #expect(outcome.code == .usage && outcome.errors.contains("set HOME or XDG_CACHE_HOME"))
    }

    @Test("stats counts entries and bytes, also as JSON and for an empty cache")
    func stats() async {
        #expect(await fake.run("cache", "stats").code == .success)
        fill(3)
        let outcome = await fake.run("cache", "stats", "--disk-limit", "1GiB")
        #expect(outcome.code == .success && outcome.output.contains("entries"))
        #expect(outcome.lines.contains { $0.hasPrefix("limit") && $0.hasSuffix("1.0 GiB") })
        let json = await fake.run("cache", "stats", "--json").output
        #expect(json.hasPrefix("{\"folder\":\"\(folder.path)/spyglass\",\"entries\":3,"))
    }

    @Test("verify finds the damaged entry, removes it, and exits 1")
    func verify() async throws {
        fill(3)
        #expect(await fake.run("cache", "verify").code == .success)
        let name = try #require(folder.files.first { $0.split(separator: "/").count == 3 })
        var bytes = try folder.read(name)
        bytes[bytes.count - 1] ^= 1
        try folder.write(name, bytes)
        let outcome = await fake.run("cache", "verify")
        #expect(outcome.code == .someFailed && outcome.lines.contains { $0.hasPrefix("damaged") && $0.hasSuffix(" 1") })
        #expect(outcome.errors.contains(name.split(separator: "/").dropFirst().joined(separator: "/")))
        #expect(await fake.run("cache", "verify").code == .success)
    }

    @Test("trim obeys the limit, clear removes every entry; other files stay")
    func removal() async throws {
        fill(100)
        try folder.write("spyglass/mine.txt", "mine")
        #expect(await fake.run("cache", "trim", "--disk-limit", "200K").code == .success)
        #expect(try DiskCache(folder: folder.path("spyglass")).statistics().bytes <= 200_000)
        let cleared = await fake.run("cache", "clear")
        #expect(cleared.code == .success, "\(cleared.errors)")
        let entries = try DiskCache(folder: folder.path("spyglass")).statistics().entries
        #expect(try entries == 0 && folder.text("spyglass/mine.txt") == "mine")
    }

    @Test("An unknown task suggests the nearest one")
    func unknownTask() async {
        #expect(await fake.run("cache", "sats") == .failed("unknown cache task sats; did you mean stats?", .usage))
        #expect(await fake.run("cache").errors.contains("stats, verify, trim, clear or path"))
        #expect(await fake.run("cache", "stats", "path").code == .usage)
    }
}
