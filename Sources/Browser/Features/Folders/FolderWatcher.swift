internal import Glibc
internal import SpyglassFiles
internal import SpyglassThreads

/// Reports changes of one folder at a time, and of folders in it, to the queue, from threads that wait for them.
struct FolderWatcher {
    private let queue: EventQueue
    private let makeWatch: (@Sendable ([[UInt8]]) throws -> FolderWatch)?
    /// Ends once the folder is watched, or cannot be.
    private(set) var start: Task<FolderWatch, any Error>?
    private(set) var watching: Task<Void, any Error>?
    private var inner: Set<[UInt8]> = []
    private(set) var watchingInner: Task<Void, any Error>?
    private let innerThreads = ThreadPool(count: 1)

    init(_ queue: EventQueue, _ makeWatch: (@Sendable ([[UInt8]]) throws -> FolderWatch)?) {
        self.queue = queue
        self.makeWatch = makeWatch
    }

    /// Watches another folder, the folder of these files, or nothing.
    ///
    /// A folder that cannot be watched, and files of several folders, need `refresh`.
    mutating func watch(_ paths: [[UInt8]]) {
        watching?.cancel()
        (start, watching) = (nil, nil)
        if paths.isEmpty { watchInner([]) }
        guard let first = paths.first, let makeWatch else { return }
        let around = first.folderAround
        if paths.count > 1, paths.contains(where: { $0.folderAround != around }) { return }
        guard let path = paths.count == 1 ? first : around else { return }
        // A thread for each folder: one on a file system that hangs delays no other.
        let threads = ThreadPool(count: 1)
        let start = Task { try await threads.run { _ in try Self.watch(path, makeWatch) } }
        self.start = start
        watching = Task { [queue] in
            let watch = try await start.value
            try await Self.follow(watch, on: threads) { _ in queue.add(.folderChanged) }
        }
    }

    /// Watches the folders that are shown in the watched one, instead of those before.
    mutating func watchInner(_ paths: Set<[UInt8]>) {
        guard paths != inner, let makeWatch else { return }
        inner = paths
        watchingInner?.cancel()
        watchingInner = nil
        guard !paths.isEmpty else { return }
        watchingInner = Task { [queue, innerThreads] in
            let watch = try await innerThreads.run { _ in try makeWatch(Array(paths)) }
            try await Self.follow(watch, on: innerThreads) { queue.add(.innerFoldersChanged($0)) }
        }
    }

    private static func follow(
        _ watch: FolderWatch, on threads: ThreadPool, _ report: @escaping @Sendable (Set<[UInt8]>) -> Void
    ) async throws {
        try await withTaskCancellationHandler {
            try await threads.run { _ in
                while let changed = watch.next() { report(changed) }
            }
        } onCancel: {
            watch.stop()
        }
    }

    /// Watches a folder; for a file or a missing folder, the nearest folder around it, where it can come back.
    private static func watch(
        _ path: [UInt8], _ makeWatch: @Sendable ([[UInt8]]) throws -> FolderWatch
    ) throws -> FolderWatch {
        do {
            return try makeWatch([path])
        } catch let error as FileError where [ENOENT, ENOTDIR].contains(error.code) {
            guard let around = path.folderAround else { throw error }
            let watch = try Self.watch(around, makeWatch)
            // It may have come back before the folder around it was watched.
            return (try? makeWatch([path])) ?? watch
        }
    }
}

extension [UInt8] {
    /// The folder that has the last name of an absolute path; `nil` for the root.
    fileprivate var folderAround: [UInt8]? {
        let slash = UInt8(ascii: "/")
        guard let end = lastIndex(where: { $0 != slash }), let start = self[...end].lastIndex(of: slash) else {
            return nil
        }
        return start == 0 ? [slash] : Array(self[..<start])
    }
}
