import Glibc
import SpyglassTestSupport
import Testing

@testable import SpyglassFiles

@Suite("FolderWatch", .timeLimit(.minutes(10)))
struct FolderWatchTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("old", "1")
    }

    @Test("Creating, writing, renaming and removing files are changes")
    func changes() throws {
        let watch = try FolderWatch([Array(folder.path.utf8)])
        let changes: [() throws -> Void] = [
            { try folder.write("new", "1") }, { try folder.write("old", "2") },
            { rename(folder.path("new"), folder.path("newer")) }, { unlink(folder.path("newer")) },
            { mkdir(folder.path("inner"), 0o755) },
        ]
        for change in changes {
            try change()
            #expect(watch.next() != nil)
        }
    }

    @Test("A folder that is removed is a change, and then nothing more comes")
    func removed() throws {
        let path = folder.path("inner")
        mkdir(path, 0o755)
        let watch = try FolderWatch([Array(path.utf8)])
        rmdir(path)
        #expect(watch.next() != nil)
        #expect(watch.next() == nil)
    }

    @Test("A folder that is renamed is a change, and then nothing more comes")
    func renamed() throws {
        let path = folder.path("inner")
        mkdir(path, 0o755)
        let watch = try FolderWatch([Array(path.utf8)])
        rename(path, folder.path("other"))
        #expect(watch.next() != nil)
        #expect(watch.next() == nil)
    }

    @Test("A folder around it that is renamed is a change, and then nothing more comes")
    func renamedAround() throws {
        try folder.write("outer/inner/old", "1")
        let path = Array(folder.path("outer/inner").utf8)
        let watch = try FolderWatch([path])
        rename(folder.path("outer"), folder.path("other"))
        #expect(watch.next() == [path])
        #expect(watch.next() == nil)
    }

    @Test("Of several folders the changed ones are named, and one that is removed ends nothing")
    func several() throws {
        let paths = ["a", "b", "missing"].map { Array(folder.path($0).utf8) }
        for name in ["a", "b"] { mkdir(folder.path(name), 0o755) }
        let watch = try FolderWatch(paths)
        try folder.write("b/new", "1")
        #expect(watch.next() == [paths[1]])
        rmdir(folder.path("a"))
        #expect(watch.next() == [paths[0]])
        try folder.write("b/newer", "1")
        #expect(watch.next() == [paths[1]])
    }

    @Test("A stopped watch reports nothing, also what came before")
    func stopped() throws {
        let watch = try FolderWatch([Array(folder.path.utf8)])
        try folder.write("new", "1")
        watch.stop()
        #expect(watch.next() == nil)
        #expect(watch.next() == nil)
    }

    @Test("A missing folder and a file cannot be watched")
    func failures() {
        #expect(throws: FileError.self) { try FolderWatch([Array(folder.path("missing").utf8)]) }
        #expect(throws: FileError.self) { try FolderWatch([Array(folder.path("old").utf8)]) }
    }
}
