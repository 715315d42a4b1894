import Glibc
import SpyglassFiles
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser

@Suite("FolderWatcher", .timeLimit(.minutes(10)))
struct FolderWatcherTests {
    private let queue = EventQueue()
    private let folder: TemporaryFolder
    private var watcher: FolderWatcher

    init() throws {
        folder = try TemporaryFolder()
        watcher = FolderWatcher(queue) { try FolderWatch($0) }
    }

    /// Waits until the paths are watched.
    private mutating func watch(_ paths: String...) async throws {
        watcher.watch(paths.map { Array($0.utf8) })
        _ = try await watcher.start?.value
    }

    /// The folders in the listed one that the next changes name; `nil` for anything but changes.
    private func nextChange() async -> Set<[UInt8]>? {
        await queue.next().reduce([]) { folders, item in
            if case .folderChanged(let inner) = item { folders?.union(inner) } else { nil }
        }
    }

    @Test("Changes of the watched folder arrive, also of the next one")
    mutating func changes() async throws {
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
            let change = await nextChange()
            #expect(change == [])
        }
        watcher.watch([])
    }

    @Test("A removed folder is a change, and ends its watch")
    mutating func removed() async throws {
        let path = folder.path("inner")
        mkdir(path, 0o755)
        try await watch(path)
        rmdir(path)
        _ = await watcher.watching?.result
        let change = await nextChange()
        #expect(change == [])
    }

    @Test("Changes of the folders that are shown arrive by name, and no others")
    mutating func inner() async throws {
        for name in ["a", "b"] { mkdir(folder.path(name), 0o755) }
        let (a, b) = (Array(folder.path("a").utf8), Array(folder.path("b").utf8))
        watcher = FolderWatcher(queue) { [folder] paths in
            defer { try? folder.write("b/new", "1") }
            return try FolderWatch(paths)
        }
        watcher.watchInner([a])
        watcher.watchInner([b])
        let change = await nextChange()
        #expect(change == [b])
        watcher.watchInner([])
        _ = await watcher.watchingInner?.result
    }

    @Test("A missing folder that comes back is a change")
    mutating func back() async throws {
        try await watch(folder.path("outer/inner"))
        mkdir(folder.path("outer"), 0o755)
        let change = await nextChange()
        #expect(change == [])
        watcher.watch([])
    }

    @Test("A replaced file of one or several is a change", arguments: [["a"], ["a", "b"]])
    mutating func files(names: [String]) async throws {
        for name in ["a", "b", "new"] { try folder.write(name, "1") }
        watcher.watch(names.map { Array(folder.path($0).utf8) })
        _ = try await watcher.start?.value
        rename(folder.path("new"), folder.path("a"))
        let change = await nextChange()
        #expect(change == [])
        watcher.watch([])
    }

    @Test("A folder that cannot be watched reports nothing")
    mutating func unwatchable() async {
        watcher = FolderWatcher(queue) { _ in throw FileError("inotify_init1", code: EMFILE) }
        watcher.watch([Array("/nonexistent/folder".utf8)])
        _ = await watcher.watching?.result
        queue.add(.timer(.spinner))
        #expect(await queue.next().count == 1)
    }
}
