import Glibc
import SpyglassTestSupport
import Testing

@testable import SpyglassFiles

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
