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
            watcher.watch(Array(folder.path.utf8))
            _ = await before?.result
            _ = try await watcher.start?.value
            // What the folder before has reported is taken first.
            queue.add(.timer(.tick))
            _ = await queue.next()
            try folder.write("new", "1")
            let items = await queue.next()
            #expect(items.allSatisfy { if case .folderChanged = $0 { true } else { false } })
        }
        watcher.watch(nil)
    }

    @Test("A removed folder is a change, and ends its watch")
    func removed() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("inner")
        mkdir(path, 0o755)
        var watcher = FolderWatcher(queue) { try FolderWatch($0) }
        watcher.watch(Array(path.utf8))
        _ = try await watcher.start?.value
        rmdir(path)
        _ = await watcher.watching?.result
        let items = await queue.next()
        #expect(items.allSatisfy { if case .folderChanged = $0 { true } else { false } })
    }

    @Test("A folder that cannot be watched reports nothing")
    func missing() async {
        var watcher = FolderWatcher(queue) { try FolderWatch($0) }
        watcher.watch(Array("/nonexistent/folder".utf8))
        _ = await watcher.watching?.result
        queue.add(.timer(.tick))
        #expect(await queue.next().count == 1)
    }
}
