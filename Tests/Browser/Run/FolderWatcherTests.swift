import Glibc
import SpyglassFiles
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser

@Suite("FolderWatcher", .timeLimit(.minutes(10)))
struct FolderWatcherTests {
    private let queue = EventQueue()

    @Test("Changes of the watched folder arrive, also of the next one")
    func changes() async throws {
        var watcher = FolderWatcher(queue) { try FolderWatch($0) }
        let folders = try (1...3).map { _ in try TemporaryFolder() }
        for folder in folders {
            let before = watcher.watching
            watcher.watch([Array(folder.path.utf8)])
            _ = await before?.result
            _ = try await watcher.start?.value
            // What the folder before has reported is taken first.
            queue.add(.timer(.spinner))
            _ = await queue.next()
            try folder.write("new", "1")
            let items = await queue.next()
            #expect(items.allSatisfy { if case .folderChanged = $0 { true } else { false } })
        }
        watcher.watch([])
    }

    @Test("A removed folder is a change, and ends its watch")
    func removed() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("inner")
        mkdir(path, 0o755)
        var watcher = FolderWatcher(queue) { try FolderWatch($0) }
        watcher.watch([Array(path.utf8)])
        _ = try await watcher.start?.value
        rmdir(path)
        _ = await watcher.watching?.result
        let items = await queue.next()
        #expect(items.allSatisfy { if case .folderChanged = $0 { true } else { false } })
    }

    @Test("Changes of the folders that are shown arrive by name, and no others")
    func inner() async throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] { mkdir(folder.path(name), 0o755) }
        let (a, b) = (Array(folder.path("a").utf8), Array(folder.path("b").utf8))
        var watcher = FolderWatcher(queue) { paths in
            defer { try? folder.write("b/new", "1") }
            return try FolderWatch(paths)
        }
        watcher.watchInner([a])
        watcher.watchInner([b])
        let items = await queue.next()
        #expect(items.allSatisfy { if case .innerFoldersChanged([b]) = $0 { true } else { false } })
        watcher.watchInner([])
        _ = await watcher.watchingInner?.result
    }

    @Test("A missing folder that comes back is a change")
    func back() async throws {
        let folder = try TemporaryFolder()
        var watcher = FolderWatcher(queue) { try FolderWatch($0) }
        watcher.watch([Array(folder.path("outer/inner").utf8)])
        _ = try await watcher.start?.value
        mkdir(folder.path("outer"), 0o755)
        let items = await queue.next()
        #expect(items.allSatisfy { if case .folderChanged = $0 { true } else { false } })
        watcher.watch([])
    }

    @Test("A replaced file of one or several is a change", arguments: [["a"], ["a", "b"]])
    func files(names: [String]) async throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b", "new"] { try folder.write(name, "1") }
        var watcher = FolderWatcher(queue) { try FolderWatch($0) }
        watcher.watch(names.map { Array(folder.path($0).utf8) })
        _ = try await watcher.start?.value
        rename(folder.path("new"), folder.path("a"))
        let items = await queue.next()
        #expect(items.allSatisfy { if case .folderChanged = $0 { true } else { false } })
        watcher.watch([])
    }

    @Test("A folder that cannot be watched reports nothing")
    func unwatchable() async {
        var watcher = FolderWatcher(queue) { _ in throw FileError("inotify_init1", code: EMFILE) }
        watcher.watch([Array("/nonexistent/folder".utf8)])
        _ = await watcher.watching?.result
        queue.add(.timer(.spinner))
        #expect(await queue.next().count == 1)
    }
}
