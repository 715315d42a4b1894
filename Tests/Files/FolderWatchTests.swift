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
        let watch = try FolderWatch(Array(folder.path.utf8))
        let changes: [() throws -> Void] = [
            { try folder.write("new", "1") }, { try folder.write("old", "2") },
            { rename(folder.path("new"), folder.path("newer")) }, { unlink(folder.path("newer")) },
            { mkdir(folder.path("inner"), 0o755) },
        ]
        for change in changes {
            try change()
            #expect(watch.next())
        }
    }

    @Test("A folder that is removed is a change, and then nothing more comes")
    func removed() throws {
        let path = folder.path("inner")
        mkdir(path, 0o755)
        let watch = try FolderWatch(Array(path.utf8))
        rmdir(path)
        #expect(watch.next())
        #expect(!watch.next())
    }

    @Test("A folder that is renamed is a change, and then nothing more comes")
    func renamed() throws {
        let path = folder.path("inner")
        mkdir(path, 0o755)
        let watch = try FolderWatch(Array(path.utf8))
        rename(path, folder.path("other"))
        #expect(watch.next())
        #expect(!watch.next())
    }

    @Test("A stopped watch reports nothing, also what came before")
    func stopped() throws {
        let watch = try FolderWatch(Array(folder.path.utf8))
        try folder.write("new", "1")
        watch.stop()
        #expect(!watch.next())
        #expect(!watch.next())
    }

    @Test("A missing folder and a file cannot be watched")
    func failures() {
        #expect(throws: FileError.self) { try FolderWatch(Array(folder.path("missing").utf8)) }
        #expect(throws: FileError.self) { try FolderWatch(Array(folder.path("old").utf8)) }
    }
}
