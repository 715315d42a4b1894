import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser

@Suite("FolderWatcher", .timeLimit(.minutes(1)))
struct FolderWatcherTests {
    @Test("Changes of the watched folder arrive, also of the next one")
    func changes() async throws {
        let queue = EventQueue()
        let started = WatchedValue(0)
        var watcher = FolderWatcher(queue) { started.change { $0 += 1 } }
        for number in 1...3 {
            let folder = try TemporaryFolder()
            watcher.watch(Array(folder.path.utf8))
            await started.wait { $0 == number }
            try folder.write("new", "1")
            let items = await queue.next()
            #expect(items.allSatisfy { if case .folderChanged = $0 { true } else { false } })
        }
        watcher.watch(nil)
    }
}
