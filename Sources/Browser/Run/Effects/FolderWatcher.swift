internal import SpyglassFiles
internal import SpyglassThreads

/// Reports changes of one folder at a time to the queue, from a thread that waits for them.
struct FolderWatcher {
    private let queue: EventQueue
    private let makeWatch: (@Sendable ([UInt8]) throws -> FolderWatch)?
    /// Ends once the folder is watched, or cannot be.
    private(set) var start: Task<FolderWatch, any Error>?
    private(set) var watching: Task<Void, any Error>?

    init(_ queue: EventQueue, _ makeWatch: (@Sendable ([UInt8]) throws -> FolderWatch)?) {
        self.queue = queue
        self.makeWatch = makeWatch
    }

    /// Watches another folder, or none; one that cannot be watched is not: `refresh` lists it again.
    mutating func watch(_ folder: [UInt8]?) {
        watching?.cancel()
        (start, watching) = (nil, nil)
        guard let folder, let makeWatch else { return }
        // A thread for each folder: one on a file system that hangs delays no other.
        let threads = ThreadPool(count: 1)
        let start = Task { try await threads.run { _ in try makeWatch(folder) } }
        self.start = start
        watching = Task { [queue] in
            let watch = try await start.value
            try await withTaskCancellationHandler {
                try await threads.run { _ in
                    while watch.next() { queue.add(.folderChanged) }
                }
            } onCancel: {
                watch.stop()
            }
        }
    }
}
