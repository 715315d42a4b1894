import Glibc
import SpyglassTestSupport
import Testing

@testable import SpyglassFiles

@Suite("Publishing of files")
struct PublishingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("An existing file stays untouched, on every kind of file system", arguments: Folder.ExclusiveRename.allCases)
    func ifAbsent(first: Folder.ExclusiveRename) throws {
        try folder.write("new", "new")
        try folder.write("old", "old")
        let root = try Folder(opening: folder.path)
        #expect(try !root.renameIfAbsent("new", to: "old", first: first))
        #expect(throws: FileError.self) { try root.renameIfAbsent("gone", to: "x", first: first) }
        #expect(try root.renameIfAbsent("new", to: "fresh", first: first))
        #expect(try root.renameIfAbsent("fresh", to: "new", first: first))
        #expect(try folder.text("new") == "new")
        #expect(try folder.text("old") == "old")
        #expect(folder.files == ["new", "old"])
    }

    @Test("Writing removes the temporary files of ended processes next to it")
    func sweep() throws {
        try folder.write("a/.spyglass-999999999-7.tmp", "x")
        try Folder.writeFile(folder.path("a/file"), [1])
        #expect(folder.files == ["a/file"])
    }

    @Test("A file is replaced as a whole, with the given permissions")
    func writeFile() throws {
        try folder.write("target/file", "old")
        try folder.link("link", to: folder.path("target/file"))
        try Folder.writeFile(
            Folder.resolved(folder.path("link")), Array("new".utf8), permissions: 0o666, exact: true)
        #expect(try folder.text("target/file") == "new")
        #expect(try Folder.working.status(of: folder.path("target/file")).permissions == 0o666)
        #expect(try Folder.working.status(of: folder.path("link")).kind == .link)
        #expect(folder.files == ["link", "target/file"])
        #expect(throws: FileError("openat", folder.path("no/file"), code: ENOENT)) {
            try Folder.writeFile(folder.path("no/file"), [])
        }
        #expect(throws: FileError("renameat", folder.path("target"), code: EISDIR)) {
            try Folder.writeFile(folder.path("target"), [])
        }
        #expect(folder.files == ["link", "target/file"])
    }

    @Test("A link to a missing file leads to where that would be")
    func linkToNothing() throws {
        try folder.write("target/other", "")
        try folder.link("link", to: "target/file")
        try folder.link("far", to: folder.path("link"))
        try Folder.writeFile(Folder.resolved(folder.path("far")), Array("new".utf8))
        #expect(try folder.text("target/file") == "new")
        #expect(try Folder.working.status(of: folder.path("link")).kind == .link)
        try folder.link("loop", to: folder.path("loop"))
        #expect(Folder.resolved(folder.path("loop")) == folder.path("loop"))
    }

    @Test("A file is complete when it is prepared, and without that it does not take its name")
    func preparation() throws {
        try folder.write("file", "old")
        #expect(throws: FileError("fsync", folder.path("file"), code: EIO)) {
            try Folder.writeFile(folder.path("file"), Array("new".utf8), isDurable: true) { () throws(FileError) in
                #expect(folder.files.count == 2)
                for name in folder.files { #expect((try? folder.text(name)) == (name == "file" ? "old" : "new")) }
                throw FileError("fsync", code: EIO)
            }
        }
        #expect(folder.files == ["file"])
        #expect(try folder.text("file") == "old")
    }
}
