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

    @Test("A folder that is removed or renamed, or is in one that is renamed, is a change, and then nothing more comes")
    func removed() throws {
        let changes: [(String) -> Int32] = [
            { rmdir($0 + "/inner") }, { rename($0 + "/inner", $0 + "/other") }, { rename($0, $0 + "-other") },
        ]
        for (number, change) in changes.enumerated() {
            let outer = folder.path("\(number)")
            mkdir(outer, 0o755)
            mkdir(outer + "/inner", 0o755)
            let path = Array((outer + "/inner").utf8)
            let watch = try FolderWatch([path])
            #expect(change(outer) == 0)
            #expect([watch.next(), watch.next()] == [[path], nil])
        }
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
        #expect([watch.next(), watch.next()] == [nil, nil])
    }

    @Test("A missing folder and a file cannot be watched")
    func failures() {
        for name in ["missing", "old"] {
            #expect(throws: FileError.self) { try FolderWatch([Array(folder.path(name).utf8)]) }
        }
    }
}
