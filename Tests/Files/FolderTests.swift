import Glibc
import SpyglassTestSupport
import Testing

@testable import SpyglassFiles

@Suite("Folder")
struct FolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Below an opened folder no link is followed")
    func links() throws {
        try folder.write("outside/file", "secret")
        try folder.link("root/file", to: folder.path("outside/file"))
        try folder.link("root/below", to: folder.path("outside"))
        try folder.link("link", to: folder.path("root"))
        let root = try Folder(opening: folder.path("link"))
        #expect(throws: FileError("openat", "file", code: ELOOP)) { _ = try root.open("file") }
        #expect(throws: FileError("openat", "below", code: ENOTDIR)) {
            _ = try root.openFolder(["below"], creatingWith: 0o777)
        }
        let kinds = try [false, true].map { try root.status(of: "file", followingLinks: $0).kind }
        #expect(kinds == [.link, .regular])
        #expect(try Folder.working.read(folder.path("link/file"), limit: 100) == Array("secret".utf8))
    }

    @Test("A path with a zero byte does not exist; one that is not UTF-8 works")
    func paths() throws {
        #expect(throws: FileError("openat", "a\0b", code: ENOENT)) { _ = try Folder(opening: "a\0b") }
        let root = try Folder(opening: folder.path)
        let name: [UInt8] = [0x61, 0xFF]
        _ = try root.open(name, [.write, .create])
        var found: [[UInt8]] = []
        try root.forEachEntry { bytes, kind in
            found.append(Array(bytes))
            return kind == .regular
        }
        #expect(found == [name])
        try root.remove(name)
        #expect(try root.isEmpty)
    }

    @Test("Only a regular file is read whole; a pipe does not block")
    func kinds() throws {
        try folder.pipe("pipe")
        try folder.write("below/file", "x")
        let root = try Folder(opening: folder.path)
        for (parent, name, limit, reason) in [
            (".", "pipe", 10, "not a regular file"), (".", "below", 10, "not a regular file"),
            ("below", "file", 0, "larger than the limit"),
        ] {
            let error = #expect(throws: FileError.self) { try root.openFolder(parent).read(name, limit: limit) }
            #expect(error?.description == "\(name): \(reason)")
        }
        #expect(try root.status(of: "pipe").kind == .pipe)
    }

    /// A system file with fewer bytes than its status reports (sysfs(5)).
    private static let shorterFile = "/sys/kernel/mm/transparent_hugepage/enabled"

    @Test(
        "A file that has fewer bytes than its status tells is an error",
        .enabled(if: access(FolderTests.shorterFile, R_OK) == 0, "needs sysfs"))
    func truncated() {
        let error = #expect(throws: FileError.self) { try Folder.working.read(Self.shorterFile, limit: 9999) }
        #expect(error?.reason == "became shorter while it was read" && !Folder.startOfFile(Self.shorterFile).isEmpty)
    }

    @Test("Missing folders get their permissions; an existing one is opened")
    func creating() throws {
        try Folder.create(folder.path("a/b/"), permissions: 0o700)
        try Folder.create(folder.path("a/b"), permissions: 0o755)
        #expect(try Folder.working.status(of: folder.path("a/b")).permissions == 0o700)
        let root = try Folder(opening: folder.path)
        _ = try root.openFolder(["c", "d"], creatingWith: 0o700)
        #expect(try root.openFolder("c").status(of: "d").kind == .folder)
        #expect(try (0..<2).map { _ in try root.createFolder("e", permissions: 0o700) } == [true, false])
        #expect(throws: FileError("mkdirat", folder.path("f/g\0h"), code: ENOENT)) {
            try Folder.create(folder.path("f/g\0h"), permissions: 0o700)
        }
        #expect(throws: FileError("fstatat", "f", code: ENOENT)) { try root.status(of: "f") }
        try folder.write("file", "")
        #expect(throws: FileError("mkdirat", folder.path("file/x"), code: ENOTDIR)) {
            try Folder.create(folder.path("file/x"), permissions: 0o700)
        }
    }

    @Test("The contents of a folder are removed without following links")
    func removal() throws {
        try folder.write("outside/file", "")
        try folder.write("root/a/b/c", "")
        try folder.link("root/a/link", to: folder.path("outside"))
        let root = try Folder(opening: folder.path("root"))
        // Not UTF-8.
        _ = try root.openFolder("a").open([0x61, 0xFF] as [UInt8], [.write, .create])
        root.removeContents()
        #expect(try root.isEmpty)
        #expect(folder.files == ["outside/file", "root"] || folder.files == ["outside/file"])
    }

    @Test("Free bytes are those of the nearest existing folder")
    func space() throws {
        let near = Folder.freeBytes(near: folder.path("no/such/folder"))
        #expect((near == nil) == (try Folder(opening: folder.path).freeBytes == nil))
    }
}

@Suite("NaturalOrder")
struct NaturalOrderTests {
    private func sorted(_ names: [String]) -> [String] {
        names.map { Array($0.utf8) }.sorted(by: NaturalOrder.precedes).map(\.shown)
    }

    @Test("Numbers compare by value, letters without case")
    func people() {
        // Names that differ in case or zeros alone have an order, and numbers may have any length.
        let nines = String(repeating: "9", count: 300)
        let names =
            ["", "2.jpg", "10.jpg", "000" + nines, nines, "1" + String(repeating: "0", count: 300), "A", "a"]
            + ["A1", "a001", "a01", "a1", "a2", "a10", "B", "b.jpg", "IMG_9.jpg", "img_10.jpg", "z"]
        #expect(sorted(names.reversed()) == names)
        #expect(!NaturalOrder.precedes(Array("a1".utf8), Array("a1".utf8)))
    }

    @Test("The order of any bytes is total and transitive")
    func total() {
        let alphabet: [UInt8] = [0x30, 0x31, 0x39, 0x41, 0x61, 0x2E, 0xC3, 0xFF]
        var names: [[UInt8]] = [[]]
        for _ in 0..<3 { names += names.flatMap { name in alphabet.map { name + [$0] } } }
        let unique = Array(Set(names))
        let order = unique.sorted(by: NaturalOrder.precedes)
        for (index, name) in order.enumerated() {
            for other in order[(index + 1)...].prefix(100) {
                #expect(NaturalOrder.precedes(name, other) && !NaturalOrder.precedes(other, name))
            }
        }
        #expect(unique.reversed().sorted(by: NaturalOrder.precedes) == order)
    }
}
