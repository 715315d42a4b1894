internal import SpyglassFiles
internal import SpyglassThreads

/// Reports changes of one folder at a time to the queue, from a thread that waits for them.
struct FolderWatcher {
    private let queue: EventQueue
    private let onStart: @Sendable () -> Void
    private var watching: Task<Void, any Error>?

    /// `onStart` is called once a folder is watched.
    init(_ queue: EventQueue, onStart: @escaping @Sendable () -> Void = {}) {
        self.queue = queue
        self.onStart = onStart
    }

    /// Watches another folder, or none; one that cannot be watched is not: `refresh` lists it again.
    mutating func watch(_ folder: [UInt8]?) {
        watching?.cancel()
        watching = folder.map { folder in
            Task { [queue, onStart] in
                // A thread for each folder: one on a file system that hangs delays no other.
                let threads = ThreadPool(count: 1)
                let watch = try await threads.run { _ in try FolderWatch(folder) }
                onStart()
                try await withTaskCancellationHandler {
                    try await threads.run { _ in while watch.next() { queue.add(.folderChanged) } }
                } onCancel: {
                    watch.stop()
                }
            }
        }
    }
}
