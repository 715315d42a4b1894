import Glibc
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCaching

@Suite("DiskCache: hostile folders")
struct DiskHostileFolderTests {
    private let folder: TemporaryFolder
    private let problems = CallRecorder<DiskCacheError>()

    init() throws { folder = try TemporaryFolder() }

    private let moon = CacheEntry(metadata: [1], body: [UInt8](repeating: 2, count: 3000))
    private let mars = CacheEntry(metadata: [3], body: [UInt8](repeating: 4, count: 3000))

    private func cache(_ path: String? = nil, lock: DiskFolder.Lock? = nil) -> DiskCache {
        var overrides = DiskCache.Overrides(sweepsAtOnce: true)
        if let lock { overrides.lock = lock }
        return DiskCache(
            folder: path ?? folder.path, byteLimit: 100 * 4096, onError: problems.record,
            overrides: overrides)
    }

    private func path(of key: String) -> String { folder.path(EntryName(of: key).path) }

    @Test("A pipe or socket with an entry's name is a miss until replaced")
    func pipesAndSockets() throws {
        let cache = cache()
        for isSocket in [false, true] {
            cache.store(moon, for: "moon")
            cache.remove("moon")
            if isSocket {
                try Self.socket(path(of: "moon"))
            } else {
                try #require(mkfifo(path(of: "moon"), 0o600) == 0)
            }
            #expect(cache.entry(for: "moon") == nil)
            #expect(try cache.clear() == .init() && cache.verify() == .init())
            #expect(TestData.exists(path(of: "moon")))
            cache.store(moon, for: "moon")
            #expect(cache.entry(for: "moon") == moon)
        }
        #expect(problems.values.isEmpty)
    }

    @Test("A hard link to an entry keeps its bytes when the entry is replaced")
    func hardLink() throws {
        let cache = cache()
        cache.store(moon, for: "moon")
        try #require(link(path(of: "moon"), folder.path("copy")) == 0)
        let before = try folder.read("copy")
        cache.store(mars, for: "moon")
        #expect(try cache.entry(for: "moon") == mars && cache.clear().entries == 1)
        #expect(try folder.read("copy") == before)
    }

    @Test("Sparse files of 2^63 bytes are counted and removed", .enabled(if: Self.hasTmpfs))
    func endlessSparseFiles() throws {
        var template = Array("/dev/shm/spyglass-test-XXXXXX".utf8CString)
        let root = String(cString: try #require(mkdtemp(&template)))
        let cache = cache(root)
        cache.store(moon, for: "moon")
        let names = ["00/00000000000000aa", "00/00000000000000bb", "00/00000000000000cc"]
        mkdir("\(root)/00", 0o700)
        for name in names {
            close(open("\(root)/\(name)", O_WRONLY | O_CREAT, 0o600))
            try #require(truncate("\(root)/\(name)", Int.max) == 0)
        }
        let statistics = try cache.statistics()
        #expect([statistics.entries, statistics.bytes] == [4, 3 << 40 + 4096])
        // Zeros could be a torn entry: they may go.
        #expect(try cache.clear().entries == 4 && cache.statistics().bytes == 0)
        for number in UInt8.min...UInt8.max { rmdir("\(root)/\(EntryName.folder(number))") }
        for name in ["count", "sweeping", "CACHEDIR.TAG"] { unlink("\(root)/\(name)") }
        #expect(rmdir(root) == 0)
    }

    @Test(
        "An unreadable entry is a miss and does not stop a sweep",
        .enabled(if: geteuid() != 0, "root may read everything"))
    func unreadable() throws {
        let cache = cache()
        for number in 0..<19 { cache.store(moon, for: "\(number)") }
        // In a sub-folder of its own.
        cache.store(moon, for: "apart")
        for number in 0..<5 { chmod(path(of: "\(number)"), 0) }
        let subfolder = folder.path(EntryName.folder(EntryName(of: "apart").folderNumber))
        chmod(subfolder, 0)
        defer { chmod(subfolder, 0o700) }
        #expect(["0", "1", "2", "3", "4", "apart"].allSatisfy { cache.entry(for: $0) == nil })
        #expect(problems.values.count == 1)
        #expect(try [cache.verify().unread, cache.trim(toBytes: 6 * 4096).entries] == [5, 13])
        #expect(throws: DiskCacheError.self) { try cache.clear() }
        #expect(try cache.statistics().entries == 5)
        cache.store(mars, for: "0")
        #expect(cache.entry(for: "0") == mars)
    }

    @Test(
        "An unrelated file or a pipe with the count's name stays, is reported once and does not block",
        arguments: ["12\n", "one, two, three\n", nil])
    func foreignCount(text: String?) throws {
        if let text { try folder.write("count", text) } else { try folder.pipe("count") }
        let cache = cache()
        #expect((0..<3).allSatisfy { _ in !cache.store(moon, for: "moon") })
        if let text { #expect(try folder.text("count") == text) }
        let reason = text == nil ? "count: not a regular file" : "count: File exists"
        #expect(problems.values == [.unusable(folder: folder.path, reason: reason)])
        #expect(!folder.files.contains { $0.contains("/") })
    }

    @Test("A folder with other files is not excluded from backups")
    func tagInForeignFolder() throws {
        try folder.write("thesis.txt", "years of work")
        #expect(cache().store(moon, for: "moon") && !folder.files.contains("CACHEDIR.TAG"))
    }

    @Test("The first store marks an empty folder as a cache, so that backups omit it")
    func tagAfterRead() throws {
        let cache = cache()
        #expect(cache.entry(for: "moon") == nil && folder.files.isEmpty)
        cache.store(moon, for: "moon")
        #expect(folder.files.contains("sweeping"))
        #expect(try folder.text("CACHEDIR.TAG").hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
    }

    @Test("A folder of another user is refused once, also for maintenance, and stays as it is")
    func foreignFolder() throws {
        cache().store(moon, for: "moon")
        let files = folder.files
        let refusal = DiskCacheError.unusable(folder: folder.path, reason: "belongs to another user")
        let cache = DiskCache(
            folder: folder.path, byteLimit: 100 * 4096, onError: problems.record,
            overrides: .init(owners: [geteuid() + 1]))
        #expect(cache.entry(for: "moon") == nil && !cache.store(mars, for: "mars"))
        cache.remove("moon")
        #expect(throws: refusal) { try cache.clear() }
        #expect(throws: refusal) { try cache.verify() }
        #expect(problems.values == [refusal] && folder.files == files)
    }

    @Test(
        "Root refuses a folder, an entry and a link of another user",
        .enabled(if: geteuid() == 0, "only root can chown"))
    func foreignForRoot() throws {
        let own = cache(folder.path("own"))
        own.store(moon, for: "moon")
        try #require(chown(folder.path("own/\(EntryName(of: "moon").path)"), 65_534, 65_534) == 0)
        #expect(own.entry(for: "moon") == nil)
        try folder.link("link", to: folder.path("own"))
        try #require(lchown(folder.path("link"), 65_534, 65_534) == 0)
        #expect(!cache(folder.path("link")).store(moon, for: "moon"))
        try #require(chown(folder.path("own"), 65_534, 65_534) == 0)
        #expect(!cache(folder.path("own")).store(moon, for: "moon"))
        #expect(problems.values.count == 2)
    }

    @Test("Where others may write, everything is in a private folder", arguments: [mode_t(0o777), 0o770, 0o720, 0o702])
    func sharedFolder(mode: mode_t) throws {
        try #require(chmod(folder.path, mode) == 0)
        let cache = cache()
        #expect(cache.entry(for: "moon") == nil && folder.files.isEmpty)
        cache.store(moon, for: "moon")
        #expect(self.cache().entry(for: "moon") == moon)
        let name = "spyglass-\(geteuid())"
        #expect(folder.files.allSatisfy { $0.hasPrefix("\(name)/") })
        var status = stat()
        #expect(lstat(folder.path(name), &status) == 0 && status.st_mode == S_IFDIR | 0o700)
        #expect(problems.values.isEmpty)
    }

    @Test("A link or an open folder in the private folder's place is not used", arguments: [true, false])
    func attackedPrivateFolder(isLink: Bool) throws {
        let name = "shared/spyglass-\(geteuid())"
        try folder.write("victim/x", "")
        try folder.write("shared/x", "")
        try #require(chmod(folder.path("shared"), 0o777) == 0)
        if isLink {
            try folder.link(name, to: folder.path("victim"))
        } else {
            try #require(mkdir(folder.path(name), 0o700) == 0 && chmod(folder.path(name), 0o777) == 0)
        }
        let cache = cache(folder.path("shared"))
        #expect(cache.entry(for: "moon") == nil && !cache.store(moon, for: "moon"))
        #expect(problems.values.count == 1)
        #expect(folder.files.filter { $0 != name } == ["shared/x", "victim/x"])
    }

    @Test("Without file locks the cache is read-only and reports it once")
    func noLocks() throws {
        cache().store(moon, for: "moon")
        let cache = cache { _, _ in
            errno = ENOLCK
            return -1
        }
        #expect((0..<3).allSatisfy { _ in !cache.store(mars, for: "mars") })
        #expect(cache.entry(for: "moon") == moon)
        #expect(problems.values == [.unusable(folder: folder.path, reason: "No locks available")])
        #expect(throws: DiskCacheError.self) { try cache.clear() }
    }

    private static var hasTmpfs: Bool { access("/dev/shm", W_OK) == 0 }

    /// Makes a socket's file.
    private static func socket(_ path: String) throws {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < 108)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
    }
}
