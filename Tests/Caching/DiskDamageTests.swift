import Glibc
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCaching

@Suite("DiskCache: corruption")
struct DiskDamageTests {
    private let folder: TemporaryFolder
    private let key = "https://example.org/moon"
    private let entry = CacheEntry(metadata: Array("ETag: 7".utf8), body: Array("the moon, a byte a pixel".utf8))

    init() throws { folder = try TemporaryFolder() }

    private var name: EntryName { EntryName(of: key) }

    /// The bytes of the one entry's file.
    private func written(_ cache: DiskCache) throws -> [UInt8] {
        cache.store(entry, for: key)
        return try folder.read(name.path)
    }

    @Test("A flipped bit anywhere is a miss, and the next store replaces it")
    func flips() throws {
        let cache = DiskCache(folder: folder.path, byteLimit: 1 << 20)
        let good = try written(cache)
        for offset in good.indices {
            for bit in [0, 3, 7] as [UInt8] {
                var bad = good
                bad[offset] ^= 1 << bit
                try folder.write(name.path, bad)
                #expect(cache.entry(for: key) == nil, "offset \(offset), bit \(bit)")
                // Files without the magic or of another version stay; all others are removed.
                #expect(TestData.exists(folder.path(name.path)) == (offset < 12), "offset \(offset)")
                cache.store(entry, for: key)
                #expect(cache.entry(for: key) == entry)
            }
        }
        #expect(try folder.countedBytes() ?? 0 >= 4096)
    }

    @Test("A file cut at any length, grown, or with another end is a miss; a cut one is removed")
    func cuts() throws {
        let cache = DiskCache(folder: folder.path, byteLimit: 1 << 20)
        cache.store(CacheEntry(metadata: Array("ETag: 8".utf8), body: entry.body.reversed()), for: key)
        let other = try folder.read(name.path)
        let good = try written(cache)
        try #require(other.count == good.count)
        for count in good.indices {
            // Zeros are there after a system crash.
            let ends = [[], [UInt8](repeating: 0, count: good.count - count), Array(other[count...])]
            for bad in ends.map({ Array(good[..<count]) + $0 }) where bad != good && bad != other {
                try folder.write(name.path, bad)
                #expect(cache.entry(for: key) == nil, "another end from \(count)")
                if bad.count == count { #expect(!TestData.exists(folder.path(name.path)), "cut at \(count)") }
            }
        }
        try folder.write(name.path, good + [0])
        #expect(cache.entry(for: key) == nil)
        try folder.write(name.path, good)
        #expect(cache.entry(for: key) == entry)
    }

    @Test("A huge file is not read, whatever its header contains")
    func hugeFile() throws {
        let cache = DiskCache(folder: folder.path, byteLimit: 1 << 20)
        var head = try written(cache)
        let size = 1 << 40
        let bodyLength = UInt64(size - DiskEntryHeader.byteCount - key.utf8.count - entry.metadata.count)
        withUnsafeBytes(of: bodyLength.littleEndian) { head.replaceSubrange(24..<32, with: $0) }
        try folder.write(name.path, head)
        try #require(truncate(folder.path(name.path), size) == 0, "needs a file system with sparse files of 1 TiB")
        #expect(try cache.entry(for: key) == nil && cache.verify().unread == 1)
    }

    @Test("An entry of a later version is a miss and stays until a sweep")
    func otherVersion() throws {
        let cache = DiskCache(folder: folder.path, byteLimit: 1 << 20)
        var later = try written(cache)
        later[8] = 2
        try folder.write(name.path, later)
        #expect(try cache.entry(for: key) == nil && cache.verify().unread == 1)
        #expect(try cache.clear().entries == 1)
    }

    @Test("Verifying names and removes corrupt entries, and leaves other files")
    func verifying() throws {
        let cache = DiskCache(folder: folder.path, byteLimit: 1 << 20)
        var bad = try written(cache)
        cache.store(entry, for: "good")
        bad[bad.count - 1] ^= 1
        try folder.write(name.path, bad)
        try folder.write("00/0000000000000001", "foreign")
        try folder.write("00/notes.txt", "foreign")
        // Undamaged, under a name that no key has.
        try folder.write("01/0100000000000000", try folder.read(EntryName(of: "good").path))
        let verification = try cache.verify()
        #expect(verification.entries == 1 && verification.foreign == ["00/0000000000000001"])
        #expect(verification.damaged == ["01/0100000000000000", name.path].sorted())
        #expect(!TestData.exists(folder.path(name.path)))
        #expect(try folder.text("00/0000000000000001") == "foreign")
        #expect(cache.entry(for: "good") == entry)
    }

    @Test("Damage is reported once")
    func reportedOnce() throws {
        let problems = CallRecorder<DiskCacheError>()
        let cache = DiskCache(folder: folder.path, byteLimit: 1 << 20, onError: problems.record)
        for _ in 0..<3 {
            var bad = try written(cache)
            bad[bad.count - 1] ^= 1
            try folder.write(name.path, bad)
            #expect(cache.entry(for: key) == nil)
        }
        #expect(problems.values == [.damagedEntry(file: folder.path(name.path))])
    }

    @Test("A corrupt count is discarded and counted again")
    func damagedCount() throws {
        let cache = DiskCache(folder: folder.path, byteLimit: 1 << 20, overrides: .init(sweepsAtOnce: true))
        _ = try written(cache)
        /// The first entry is declined, but starts the sweep that counts.
        func isCountedAgain() throws -> Bool {
            let isStored = [cache.store(entry, for: "other"), cache.store(entry, for: "other")]
            return try isStored == [false, true] && folder.countedBytes() == 8192
        }
        let good = try folder.read("count")
        for offset in good.indices {
            var bad = good
            bad[offset] ^= 0x80
            try folder.write("count", bad)
            #expect(try isCountedAgain(), "offset \(offset)")
            cache.remove("other")
        }
        for count in [0, 1, 39] {
            try folder.write("count", Array(good[..<count]))
            #expect(try isCountedAgain())
            cache.remove("other")
        }
        try #require(unlink(folder.path("count")) == 0)
        #expect(try isCountedAgain())
    }
}
