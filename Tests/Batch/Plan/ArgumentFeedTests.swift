import Glibc
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassBatch

@Suite("ArgumentFeed", .timeLimit(.minutes(10)))
struct ArgumentFeedTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func feed(_ operands: String..., job: BatchJob? = nil, shard: Shard? = nil, out: OutputFolder? = nil) throws
        -> ArgumentFeed
    {
        let paths = operands.map { Array(($0.containsBytes(of: "://") ? $0 : folder.path($0)).utf8) }
        return ArgumentFeed(paths, try job ?? .sample("320"), into: out, shard: shard)
    }

    private func write(_ names: String...) throws {
        for name in names { try folder.write(name, "x") }
    }

    @Test("A folder is walked depth first in byte order")
    func order() async throws {
        try write("in/b.jpg", "in/a/z.png", "in/a/B.JPEG", "in/a/b/c.jpe", "in/é.jfif", "in/Z.jpg", "in/a.jpg")
        let items = try await feed("in").all()
        #expect(items.map(\.shown) == ["Z.jpg", "a/B.JPEG", "a/b/c.jpe", "a/z.png", "a.jpg", "b.jpg", "é.jfif"])
        #expect(items.compactMap(\.item?.number) == Array(0..<7))
        let deep = try #require(items[2].item)
        #expect(deep.folders == ["a", "b"] && deep.stem == "c")
        #expect(deep.source == .file(folder.path("in/a/b/c.jpe")))
    }

    @Test("Hidden and other files, pipes and links are left out")
    func leftOut() async throws {
        try write(
            "in/.hidden.jpg", "in/.dir/a.jpg", "in/notes.txt", "in/noending", "in/a.jpg", "other/b.jpg", "in/.jpg")
        try folder.pipe("in/pipe.jpg")
        try folder.link("in/linked.jpg", to: folder.path("other/b.jpg"))
        try folder.link("in/folder.jpg", to: folder.path("other"))
        try folder.link("in/loop", to: "..")
        try folder.link("in/gone.jpg", to: "nothing")
        let feed = try feed("in")
        #expect(feed.count == 1)
        #expect(try await feed.all().map(\.shown) == ["a.jpg"])
        let named = try #require(try await self.feed("in/linked.jpg").all().first?.item)
        #expect(try SourceFile(opening: named).byteCount == 1)
    }

    @Test("Images that a walk leaves out are counted by kind")
    func leftOutByKind() async throws {
        try write(
            "in/a.jpg", "in/b.CRW", "in/deep/c.mrw", "in/deep/d.svg", "in/.e.svg", "in/notes.txt", "more/f.x3f",
            "named.svg")
        try folder.link("in/linked.jpg", to: folder.path("in/a.jpg"))
        try folder.link("in/linked.txt", to: folder.path("in/a.jpg"))
        try folder.link("in/album", to: folder.path("more"))
        let feed = try feed("in", "more", "named.svg")
        #expect(feed.leftOut == ["RAW": 3, "SVG": 1, "link": 2])
        // Of several processes one counts them.
        let shards = try (0..<3).map { index in
            try self.feed("in", "more", "named.svg", shard: Shard(parsing: "\(index)/3") { _ in nil }).leftOut
        }
        #expect(shards == [feed.leftOut, [:], [:]])
        #expect(try await feed.all().map(\.shown) == ["a.jpg", "named.svg"])
    }

    @Test("A RAW file beside the JPEG of the same name is left out, and another is not")
    func pairs() async throws {
        try write("in/a.CR2", "in/a.JPG", "in/b.dng", "in/c.heic", "in/c.NEF", "in/d.png", "in/e.raf")
        let feed = try feed("in")
        let names = try await feed.all().map(\.shown)
        #expect(names == ["a.JPG", "b.dng", "c.heic", "d.png", "e.raf"])
        #expect(feed.leftOut == ["RAW beside its JPEG": 2])
    }

    @Test("A named file that is open already is read, whatever replaces it")
    func openInput() async throws {
        try write("in/a.jpg", "in/deep/b.jpg")
        let path = Array(folder.path("in/a.jpg").utf8)
        let opened = try Folder.working.openRegular(path)
        try folder.write("new.jpg", "another")
        try #require(rename(folder.path("new.jpg"), folder.path("in/a.jpg")) == 0)
        let number = opened.number
        func byteCount(_ operand: String) async throws -> Int {
            let item = try #require(try await feed(operand).all().first?.item)
            var inputs = BatchInputs()
            inputs.opened = { $0 == path ? try? FileDescriptor(duplicating: number) : nil }
            return try SourceFile(opening: item, inputs).byteCount
        }
        #expect(try await byteCount("in/a.jpg") == 1)
        #expect(try await byteCount("in") == 7)
        _ = opened.number
    }

    @Test("A file above the limit is refused before it is read")
    func largeFile() throws {
        try folder.write("large.png", [], byteCount: 200 << 30)
        var inputs = BatchInputs()
        let refused = BatchError(
            .limit,
            "a file of 214748364800 bytes, above the limit of 4294967296 bytes (raise it with --max-bytes)")
        #expect(throws: refused) { _ = try SourceFile(opening: .sample(folder.path("large.png")), inputs) }
        inputs.limits.bodyBytes = 200 << 30
        #expect(try SourceFile(opening: .sample(folder.path("large.png")), inputs).byteCount == 200 << 30)
        try folder.write("allowed.png", [], byteCount: 4 << 30)
        #expect(try SourceFile(opening: .sample(folder.path("allowed.png"))).byteCount == 4 << 30)
    }

    @Test("A file or folder that a link replaces after the walk is not opened", arguments: ["in/a/b.jpg", "in/a"])
    func replaced(name: String) async throws {
        try write("in/a/b.jpg", "other/b.jpg")
        let item = try #require(try await feed("in").all().first?.item)
        #expect(try SourceFile(opening: item).byteCount == 1)
        try #require(rename(folder.path(name), folder.path("gone")) == 0)
        try folder.link(name, to: folder.path(name == "in/a" ? "other" : "other/b.jpg"))
        #expect(throws: BatchError.self) { try SourceFile(opening: item) }
    }

    @Test("Files with any name and URLs are items; missing files fail")
    func operands() async throws {
        try write("photo", "x.jpg")
        try folder.pipe("pipe.jpg")
        let feed = try feed(
            "photo", "x.jpg", "gone.jpg", "pipe.jpg", "https://images.test/a%20b/m%2F31.jpg?token=abc",
            "ftp://images.test/x.jpg",
            "https://user:hunter2@images.test/")
        let items = try await feed.all()
        #expect(items.map { $0.failure?.kind } == [nil, nil, .unreadable, .input, nil, .input, .input])
        #expect(items[0].item?.stem == "photo" && items[1].item?.id == "x.jpg" && items[4].item?.stem == "m/31")
        #expect(items[4].item?.id.hasPrefix("https://images.test/a%20b/m%2F31.jpg?token=***~") == true)
        // As for a line of a manifest.
        let missing = BatchError(.unreadable, "cannot open: No such file or directory")
        #expect(items[2].failure == missing)
        #expect(throws: missing) { _ = try SourceFile(opening: .sample(folder.path("gone.jpg"))) }
    }

    @Test(
        "A rejected URL is reported without secrets",
        arguments: [
            ("ftp://images.test/a b.jpg#top", "ftp://images.test/a b.jpg"),
            ("https://user:hunter2@images.test/a.jpg", "https://***@images.test/a.jpg"),
            ("https://user:h#un?t/er2@images.test/", "https://***@images.test/"),
            ("https://images.test:0/a?x=1&api_key=hunter2&y=2", "https://images.test:0/a?x=1&api_key=***&y=2"),
            ("https://\u{E9}.test/?", "https://\u{E9}.test/?"),
        ])
    func refusedAddress(_ operand: String, _ shown: String) async throws {
        let items = try await feed(operand).all()
        guard case .failed(0, let id, let shownSource, let failure) = items.first else {
            Issue.record("\(items)")
            return
        }
        #expect([id, shownSource] == [shown, shown])
        #expect(failure.kind == .input && !failure.message.containsBytes(of: "hunter2"))
    }

    @Test("The first item with an output name has it; the others fail")
    func collisions() async throws {
        try write("one/a.jpg", "one/b.jpg", "two/a.jpg", "two/a.jpeg", "two/a.png")
        let items = try await feed("one", "two").all()
        #expect(items.map(\.shown) == ["a.jpg", "b.jpg", "a.jpeg: collision", "a.jpg: collision", "a.png"])
        #expect(items[3].failure?.message.containsBytes(of: "one/a.jpg") == true)
        for job in [try BatchJob.sample("320", format: .png), try .sample("320", name: "{stem}.png")] {
            let found = try await feed("two", job: job).all()
            #expect(found.compactMap(\.failure?.kind) == [.collision, .collision])
        }
        let apart = try await feed("one", "two", job: .sample("320", name: "{n}.{ext}")).all()
        #expect(apart.compactMap(\.failure).isEmpty)
    }

    @Test(
        "A format that is only read collides with JPEG and with PNG, unless the format is given",
        arguments: ["jpg", "png", "gif", "webp"])
    func collisionOfReadFormat(other: String) async throws {
        try write("in/IMG_1.GIF", "in/b.gif", "more/IMG_1.\(other)")
        let operands = ["in", "more/IMG_1.\(other)"].map { Array(folder.path($0).utf8) }
        let items = try await ArgumentFeed(operands, .sample("320"), into: nil).all()
        #expect(items.map(\.shown) == ["IMG_1.GIF", "b.gif", "IMG_1.\(other): collision"])
        let jpegs = try await ArgumentFeed(operands, .sample("320", format: .jpeg), into: nil).all()
        #expect(jpegs.map { $0.failure?.kind } == [nil, nil, .collision])
        let apart = try await ArgumentFeed(operands, .sample("320", name: "{n}.{ext}"), into: nil).all()
        #expect(apart.compactMap(\.failure).isEmpty)
    }

    @Test("A decoder tells which of the two names a format that is only read gets")
    func collisionByHeader() async throws {
        let bitmap: [UInt8] =
            [0x42, 0x4D, 58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]
            + [UInt8](repeating: 0, count: 24) + [0, 0, 255, 0]
        let png = try ImageEncoder(.png).encode(PixelBuffer(size: PixelSize(width: 1, height: 1)))
        let jpeg = try ImageEncoder(.jpeg(.init(quality: 90))).encode(PixelBuffer(size: PixelSize(width: 1, height: 1)))
        try folder.write("in/a.bmp", bitmap)
        try folder.write("in/a.png", png)
        try folder.write("in/b.bmp", bitmap)
        try folder.write("in/b.jpg", jpeg)
        for paths in [["in"], ["in/a.png", "in/a.bmp", "in/b.bmp", "in/b.jpg"]] {
            let operands = paths.map { Array(folder.path($0).utf8) }
            let feed = ArgumentFeed(
                operands, try .sample("320"), into: nil, decoder: ImageDecoder(workers: .inProcess))
            let kinds = try await feed.all().map { $0.failure?.kind }
            #expect(kinds == [nil, nil, nil, .collision])
        }
    }

    @Test("A file with a wrong extension collides by what it holds")
    func wrongExtension() async throws {
        for name in ["a.JPG", "a.png", "b.png"] { try folder.write("in/\(name)", [0xFF, 0xD8, 0xFF, 0xE0]) }
        let items = try await feed("in").all()
        #expect(items.map(\.shown) == ["a.JPG", "a.png: collision", "b.png"])
    }

    @Test("Repeated operands count once")
    func repeated() async throws {
        try write("one/a.jpg", "one/b.jpg", "two/a.jpg")
        try folder.link("again", to: folder.path("one"))
        let address = "https://images.test/c.jpg"
        let feed = try feed("one", "one/b.jpg", "again/", "one/../one/a.jpg", address, address, "two/a.jpg")
        let items = try await feed.all()
        #expect(
            items.map(\.shown) == [
                "a.jpg", "b.jpg", "excluded", "excluded", "excluded", "excluded", address, "excluded",
                "a.jpg: collision",
            ])
        #expect(feed.count == 4)
        // Secrets are not in the id, and still distinguish items.
        let others = try await self.feed("\(address)?token=1", "\(address)?token=2").all()
        #expect(others.map { $0.failure?.kind } == [nil, .collision])
        let numbered = try self.feed("one/a.jpg", "one/a.jpg", job: .sample("320", name: "{n}.{ext}"))
        #expect(try await numbered.all().compactMap(\.item?.number) == [0, 1])
    }

    @Test("The output folder is neither walked nor an input")
    func outputFolder() async throws {
        try write("in/a.jpg", "in/thumbs/a.jpg")
        let out = try OutputFolder(path: folder.path("in/thumbs"))
        #expect(try await feed("in", out: out).all().map(\.shown) == ["a.jpg"])
        let failed = try await feed("in/thumbs", out: out).all()
        #expect(failed.map(\.failure?.kind) == [.input])
    }

    @Test("Every item belongs to one shard and keeps its number")
    func shards() async throws {
        for number in 0..<40 { try write("in/\(number).jpg") }
        var seen: [Int: String] = [:]
        for index in 0..<3 {
            let feed = try feed("in", shard: Shard(parsing: "\(index)/3") { _ in nil })
            let items = try await feed.all()
            #expect(items.count == 40)
            let own = items.compactMap(\.item)
            #expect(feed.count == own.count)
            for item in own { #expect(seen.updateValue(item.id, forKey: item.number) == nil) }
        }
        let all = try await feed("in").all().compactMap(\.item)
        #expect(seen == Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0.id) }))
    }

    @Test("A name that is not UTF-8 can be opened")
    func bytes() async throws {
        try write("in/a.jpg")
        let name = Array(folder.path("in/caf").utf8) + [0xE9] + Array(".jpg".utf8)
        try Folder.working.open(name, [.write, .create]).write(Array("abc".utf8))
        let item = try #require(try await feed("in").all()[1].item)
        let file = try SourceFile(opening: item)
        #expect(item.pathBytes == name && file.byteCount == 3)
        #expect(try file.hash() == SourceHash.of(Array("abc".utf8)))
        try Folder.working.remove(name)
    }

    @Test("An unreadable folder is a failed item", .enabled(if: geteuid() != 0))
    func unreadable() async throws {
        try write("in/a/x.jpg", "in/b.jpg")
        chmod(folder.path("in/a"), 0)
        defer { chmod(folder.path("in/a"), 0o755) }
        #expect(try await feed("in").all().map(\.shown) == ["a: unreadable", "b.jpg"])
    }

    @Test("Folders beyond the maximum depth are failed items")
    func deep() async throws {
        let path = "in/" + String(repeating: "d/", count: FolderWalk.maxDepth + 2)
        try write(path + "x.jpg", "in/a.jpg")
        let items = try await feed("in").all()
        #expect(items.map { $0.failure?.kind } == [nil, .unreadable])
    }

    @Test("A cancelled walk stops at the next entry", arguments: 0..<60)
    func cancelledWalk(count: Int) async throws {
        try write("in/notes/a.txt", "in/notes/b.txt", "in/notes/c.txt", "in/a.jpg", "in/b.jpg", "x.jpg")
        var asked = 0
        let paths = ["in", "x.jpg"].map { Array(folder.path($0).utf8) }
        let feed = ArgumentFeed(paths, try .sample("320"), into: nil) {
            asked += 1
            return asked > count
        }
        guard asked > count else {
            #expect(try await feed.all().count == 3)
            return
        }
        // Each enclosing loop checks once more.
        #expect(asked <= count + 6)
        await #expect(throws: CancellationError.self) { try await feed.next() }
    }

    @Test("A walk that is cancelled while listing gives nothing")
    func cancelledListing() throws {
        for number in 0..<100 { try write("in/\(number).jpg") }
        var asked = 0
        let isCancelled = {
            asked += 1
            return asked > 10
        }
        var walk = FolderWalk(try Folder(opening: folder.path("in")), excluding: nil, isCancelled: isCancelled)
        #expect(asked == 11)
        #expect(walk.next(isCancelled: isCancelled) == nil)
        #expect(asked == 12)
    }
}
