internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassThreads

/// Opens pictures in the desktop's viewer; those of the web are saved first, in a private folder that `finish` removes.
struct PictureViewer {
    private let services: BrowserServices
    private let queue: EventQueue
    private let threads = ThreadPool(count: 1)
    private var work: Task<Void, Never>?
    private var hasFolder = false

    init(_ services: BrowserServices, _ queue: EventQueue) {
        self.services = services
        self.queue = queue
    }

    /// Replaces an earlier picture that has not been opened yet.
    mutating func view(_ item: SaveItem, from backend: BrowserBackend, _ search: BrowserSearch) {
        let before = work
        before?.cancel()
        let makesFolder = !hasFolder
        hasFolder = true
        work = Task { [services, queue, threads] in
            await before?.value
            do {
                let path = try await Self.path(of: item, backend, services.viewFolder) { folder in
                    guard makesFolder else { return }
                    // Nobody else may have made it.
                    let isNew = try await threads.run { _ in
                        try Folder.working.createFolder(folder, permissions: 0o700)
                    }
                    guard isNew else { throw BrowserError("\(folder): File exists") }
                }
                try Task.checkCancellation()
                try services.open(.file(path))
                queue.add(.event(.notice(.opened(item.name))))
            } catch is CancellationError {
                return
            } catch {
                let problem = await services.describe(error, search)
                queue.add(.event(.notice(.cannotView(problem.reason))))
            }
        }
    }

    /// Cancels the work and removes the folder; a viewer keeps what it has read.
    mutating func finish() async {
        work?.cancel()
        await work?.value
        guard hasFolder, let path = services.viewFolder else { return }
        _ = try? await threads.run { _ in
            // A link would lead elsewhere.
            guard try Folder.working.status(of: path).kind == .folder else { return }
            try Folder(opening: path).removeContents()
            try Folder.working.removeFolder(path)
        }
    }

    private static func path(
        of item: SaveItem, _ backend: BrowserBackend, _ folder: String?, makeFolder: (String) async throws -> Void
    ) async throws -> [UInt8] {
        if let file = item.photo.file { return LocalFile.absolutePath(file.path) }
        guard let folder else { throw BrowserError("no folder for temporary files") }
        try await makeFolder(folder)
        let (item, _) = try await item.completed(by: backend)
        guard let source = item.source else { throw BrowserError("no image") }
        let target = SaveTarget(path: folder, name: item.name, isFolder: true)
        return Array(try await backend.save(source, target) { _, _ in }.utf8)
    }
}
