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
        #expect(try folder.files == ["new", "old"] && folder.files.map(folder.text) == ["new", "old"])
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
        for (name, call, code) in [("no/file", "openat", ENOENT), ("target", "renameat", EISDIR)] {
            #expect(throws: FileError(call, folder.path(name), code: code)) {
                try Folder.writeFile(folder.path(name), [])
            }
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
        #expect(try folder.files == ["file"] && folder.text("file") == "old")
    }
}

@Suite("TemporaryFile")
struct TemporaryFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A sweep removes files of ended processes, no locked or other files")
    func sweep() throws {
        let root = try Folder(opening: folder.path)
        let others = [".other", ".spyglass--7.tmp", ".spyglass-1.tmp", ".spyglass-1-2.part", ".spyglass-x-1.tmp"]
        for name in others + [".spyglass-999999999-7.tmp", ".spyglass-\(getpid())-8.tmp"] {
            try folder.write(name, "x")
        }
        try folder.link(".spyglass-1-3.tmp", to: ".other")
        let made = try TemporaryFile.create(in: root)
        #expect(TemporaryFile.isTemporary(made.name))
        TemporaryFile.sweep(root)
        #expect(folder.files == (others + [".spyglass-1-3.tmp", made.name]).sorted())
    }

    @Test("Without locks, only a file that has not changed for a day is removed")
    func sweepWithoutLocks() throws {
        let root = try Folder(opening: folder.path)
        let (old, recent) = (".spyglass-999999999-1.tmp", ".spyglass-999999999-2.tmp")
        for (name, age) in [(old, 86_500), (recent, 86_300)] {
            try root.open(name, [.write, .create]).setModified(.seconds(time(nil) - age))
        }
        TemporaryFile.sweep(root) { _ in .unsupported }
        #expect(folder.files == [recent])
    }

    @Test("A file whose status cannot be read is removed")
    func failedStatus() throws {
        let root = try Folder(opening: folder.path)
        let failure = FileError("fstat", code: EIO)
        #expect(throws: failure) {
            _ = try TemporaryFile.create("new", in: root) { (_) throws(FileError) in throw failure }
        }
        #expect(try root.isEmpty)
    }

    @Test("An existing name is an error, and a probe leaves no file")
    func creation() throws {
        let root = try Folder(opening: folder.path)
        try folder.write("taken", "x")
        switch try TemporaryFile.create("taken", in: root) {
        case nil: break
        case .some(let made): Issue.record("made \(made.name)")
        }
        #expect(try TemporaryFile.probe(root).isRegular)
        try TemporaryFile.probe(.working, beside: folder.path("file"))
        #expect(throws: FileError.self) { try TemporaryFile.probe(.working, beside: folder.path("no/file")) }
        #expect(folder.files == ["taken"])
    }
}
