import Glibc
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCaching

@Suite("DiskCache")
struct DiskCacheTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path("a/cache") }

    private func entry(_ text: String, isPartial: Bool = false) -> CacheEntry {
        CacheEntry(metadata: Array("meta of \(text)".utf8), body: Array(text.utf8), isPartial: isPartial)
    }

    @Test("A stored entry is found, also by another cache on the folder")
    func roundTrip() throws {
        let cache = DiskCache(folder: path, byteLimit: 1 << 20)
        cache.store(entry("moon"), for: "https://example.org/moon")
        #expect(cache.entry(for: "https://example.org/moon") == entry("moon"))
        #expect(DiskCache(folder: path).entry(for: "https://example.org/moon") == entry("moon"))
    }

    @Test(
        "Bodies, keys and metadata of any length round-trip", arguments: [0, 1, 31, 4047, 4048, 4049, 70_000, 400_000])
    func lengths(count: Int) throws {
        let cache = DiskCache(folder: path, byteLimit: 100 << 20)
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let both = CacheEntry(metadata: bytes, body: bytes)
        let onlyBody = CacheEntry(metadata: [], body: bytes)
        let key = String(repeating: "k", count: min(count, 60_000))
        cache.store(both, for: "both")
        cache.store(onlyBody, for: key)
        #expect([cache.entry(for: "both"), cache.entry(for: key)] == [both, onlyBody])
    }

    @Test("A later entry replaces an earlier one, and only its bytes count")
    func overwrite() throws {
        let cache = DiskCache(folder: path, byteLimit: 1 << 20)
        cache.store(CacheEntry(metadata: [], body: [UInt8](repeating: 1, count: 50_000)), for: "key")
        cache.store(entry("small"), for: "key")
        #expect(cache.entry(for: "key") == entry("small"))
        let statistics = try cache.statistics()
        #expect(try [statistics.entries, statistics.bytes, folder.countedBytes(in: path)] == [1, 4096, 4096])
    }

    @Test("A partial entry is marked as partial")
    func prefix() throws {
        let cache = DiskCache(folder: path, byteLimit: 1 << 20)
        cache.store(entry("begin", isPartial: true), for: "key")
        #expect(try cache.entry(for: "key")?.isPartial == true && cache.verify().prefixes == 1)
    }

    @Test("A removed entry is a miss, and its bytes are not counted")
    func removal() throws {
        let cache = DiskCache(folder: path, byteLimit: 1 << 20)
        cache.store(entry("moon"), for: "moon")
        cache.remove("moon")
        cache.remove("never there")
        #expect(cache.entry(for: "moon") == nil)
        #expect(try [cache.statistics().entries, folder.countedBytes(in: path)] == [0, 0])
    }

    @Test("Keys of equal hashes replace each other and never share bytes")
    func collision() throws {
        let cache = DiskCache(folder: path, byteLimit: 1 << 20, overrides: .init(hash: { _ in 42 }))
        for name in ["moon", "mars"] {
            cache.store(entry(name), for: name)
            let found = ["moon", "mars"].map { cache.entry(for: $0) }
            #expect(found == ["moon", "mars"].map { $0 == name ? entry($0) : nil })
        }
    }

    @Test("Creating, reading or inspecting a cache writes nothing")
    func touchesNothing() throws {
        let cache = DiskCache(folder: path)
        #expect(cache.entry(for: "key") == nil)
        cache.remove("key")
        let statistics = try cache.statistics()
        #expect(statistics.entries == 0 && statistics.byteLimit > 0)
        #expect(try cache.clear() == DiskCache.RemovalResult())
        #expect(!TestData.exists(folder.path("a")))
    }

    @Test("Only their owner can access entries and folders")
    func modes() throws {
        let cache = DiskCache(folder: path, byteLimit: 1 << 20)
        cache.store(entry("moon"), for: "moon")
        let name = EntryName(of: "moon").path
        #expect(folder.files.contains("a/cache/\(name)"))
        let modes = try (folder.files + ["a", "a/cache", "a/cache/\(name.prefix(2))"]).map(mode)
        #expect(modes == folder.files.map { _ in 0o600 } + [0o700, 0o700, 0o700])
    }

    @Test("The folder may be a link; subfolders and entries may not")
    func links() throws {
        try folder.write("elsewhere/keep", "kept")
        try folder.link("link", to: folder.path("elsewhere"))
        let cache = DiskCache(folder: folder.path("link"), byteLimit: 1 << 20)
        cache.store(entry("moon"), for: "moon")
        #expect(cache.entry(for: "moon") == entry("moon"))

        let name = EntryName(of: "moon")
        try folder.write("outside/\(name.file)", try folder.read("elsewhere/\(name.path)"))
        try folder.link("other/\(name.path.prefix(2))", to: folder.path("outside"))
        let other = DiskCache(folder: folder.path("other"), byteLimit: 1 << 20)
        #expect(other.entry(for: "moon") == nil && !other.store(entry("moon"), for: "moon"))
        #expect(try other.clear().entries == 0)
        #expect(TestData.exists(folder.path("outside/\(name.file)")))

        try folder.link("third/\(name.path)", to: folder.path("outside/\(name.file)"))
        let third = DiskCache(folder: folder.path("third"), byteLimit: 1 << 20, overrides: .init(sweepsAtOnce: true))
        #expect(third.entry(for: "moon") == nil)
        // The first one is declined, but starts the sweep that counts.
        for _ in 0..<2 { third.store(entry("mars"), for: "moon") }
        #expect(third.entry(for: "moon") == entry("mars"))
        #expect(try folder.read("outside/\(name.file)") == folder.read("elsewhere/\(name.path)"))
    }

    @Test("A pipe or folder with an entry's name is an immediate miss")
    func strangeFiles() throws {
        let moon = EntryName(of: "moon")
        let mars = EntryName(of: "mars")
        try folder.write("a/cache/\(mars.path)/x", "")
        try folder.write("a/cache/\(moon.path.prefix(2))/x", "")
        try folder.pipe("a/cache/\(moon.path)")
        let cache = DiskCache(folder: path, byteLimit: 1 << 20)
        #expect(cache.entry(for: "moon") == nil && cache.entry(for: "mars") == nil)
        #expect(!cache.store(entry("mars"), for: "mars"))
        #expect(try cache.statistics().entries == 0)
    }

    @Test("A folder that is removed while open is created again")
    func removedFolder() throws {
        let cache = DiskCache(folder: path, byteLimit: 1 << 20)
        cache.store(entry("moon"), for: "moon")
        try #require(rename(path, folder.path("gone")) == 0)
        try #require(folder.files.filter { $0.hasPrefix("gone/") }.allSatisfy { unlink(folder.path($0)) == 0 })
        for number in UInt8.min...UInt8.max { rmdir(folder.path("gone/\(EntryName.folder(number))")) }
        try #require(rmdir(folder.path("gone")) == 0)
        cache.store(entry("mars"), for: "mars")
        #expect(try cache.entry(for: "mars") == entry("mars") && cache.statistics().entries == 1)
    }

    @Test("An entry above a tenth of the limit is rejected and evicts nothing")
    func tooLarge() throws {
        let cache = DiskCache(folder: path, byteLimit: 10 * 8192)
        cache.store(entry("moon"), for: "moon")
        for (count, isStored) in [(8192 - 48 - 5, true), (8192 - 48 - 4, false)] {
            let large = CacheEntry(metadata: [], body: [UInt8](repeating: 1, count: count))
            #expect(cache.store(large, for: "large") == isStored)
        }
        #expect(cache.entry(for: "moon") != nil)
        #expect(!DiskCache(folder: path, byteLimit: 0).store(entry("x"), for: "x"))
    }

    @Test("Keys and metadata have limits")
    func headLimits() throws {
        let cache = DiskCache(folder: path, byteLimit: 100 << 20)
        let metadata = [UInt8](repeating: 0, count: DiskEntryHeader.metadataLimit + 1)
        #expect(!cache.store(entry("x"), for: String(repeating: "k", count: DiskEntryHeader.keyLimit + 1)))
        #expect(!cache.store(CacheEntry(metadata: metadata, body: []), for: "x"))
        cache.store(CacheEntry(metadata: Array(metadata.dropLast()), body: []), for: "x")
        #expect(cache.entry(for: "x")?.metadata.count == DiskEntryHeader.metadataLimit)
    }

    private func mode(_ name: String) throws -> UInt32 {
        var status = stat()
        try #require(lstat(folder.path(name), &status) == 0)
        return status.st_mode & 0o777
    }
}

extension EntryName {
    init(of key: String) { self.init(hash: FNV1a.hash(key)) }
}

extension TemporaryFolder {
    /// Returns the bytes that the count of a cache states, by default of one in this folder.
    func countedBytes(in path: String? = nil) throws -> Int? {
        try DiskUsageCounter(folder: try DiskFolder.opening(path ?? self.path)).withCount { $0.bytes }
    }
}

@Suite("XXH64")
struct XXHash64Tests {
    /// The generator of the reference implementation's own check (`XSUM_fillTestBuffer`).
    private static let buffer: [UInt8] = {
        var state: UInt64 = 2_654_435_761
        return (0..<222).map { _ in
            defer { state &*= 11_400_714_785_074_694_797 }
            return UInt8(state >> 56)
        }
    }()

    @Test(
        "The reference implementation's vectors hold",
        arguments: [
            (0, 0, 0xEF46_DB37_51D8_E999), (0, 2_654_435_761, 0xAC75_FDA2_929B_17EF),
            (1, 0, 0xE934_A84A_DB05_2768), (1, 2_654_435_761, 0x5014_6076_43A9_B4C3), (4, 0, 0x9136_A0DC_A574_57EE),
            (14, 0, 0x8282_DCC4_994E_35C8), (14, 2_654_435_761, 0xC3BD_6BF6_3DEB_6DF0),
            (222, 0, 0xB641_AE8C_B691_C174), (222, 2_654_435_761, 0x20CB_8AB7_AE10_C14A),
        ] as [(Int, UInt64, UInt64)])
    func vectors(count: Int, seed: UInt64, hash: UInt64) {
        #expect(XXHash64.hash(Array(Self.buffer.prefix(count)), seed: seed) == hash)
    }

    @Test("The hash does not depend on the alignment of the bytes")
    func alignment() {
        let bytes = Self.buffer
        let padded = [0] + bytes
        let shifted = padded.withUnsafeBytes { XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0.dropFirst())) }
        #expect(shifted == XXHash64.hash(bytes))
    }

    @Test("FNV-1a has the published vectors")
    func fnv() {
        let hashes = ["", "a", "foobar"].map { FNV1a.hash($0) }
        #expect(hashes == [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8])
    }
}

@Suite("WallTime")
struct WallTimeTests {
    @Test("Durations are exact to the millisecond, in both directions")
    func durations() {
        let start = WallTime(seconds: 1_000_000_000)
        let end = start.advanced(by: .milliseconds(1_500))
        #expect([start.duration(to: end), end.duration(to: start)] == [.milliseconds(1_500), .milliseconds(-1_500)])
        #expect(start < end)
    }

    @Test("Seconds are rounded down, also before 1970")
    func seconds() {
        let seconds = [1_999, -1, -1_000, .min].map { WallTime(milliseconds: $0).seconds }
        #expect(seconds == [1, -1, -1, -9_223_372_036_854_776])
    }

    @Test("Values out of range are clamped")
    func clamping() {
        let (first, last) = (WallTime(milliseconds: .min), WallTime(milliseconds: .max))
        let later = [.seconds(1), .milliseconds(1)].map { last.advanced(by: $0) }
        #expect([WallTime(seconds: .max)] + later == [last, last, last])
        #expect(first.advanced(by: .milliseconds(-1)) == first)
        #expect(first.duration(to: last) == .milliseconds(Int64.max))
    }
}
