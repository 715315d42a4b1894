internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassThreads

/// Opens pictures in the desktop's viewer; those of the web are saved first, in a private folder that `finish` removes.
struct PictureViewer {
    private let services: BrowserServices
    private let queue: EventQueue
    private let threads = ThreadPool(count: 1)
    private var work: Task<Void, Never>?
    /// Makes the folder; a later picture does not cancel it.
    private var folder: Task<Void, any Error>?

    init(_ services: BrowserServices, _ queue: EventQueue) {
        self.services = services
        self.queue = queue
    }

    /// Replaces an earlier picture that has not been opened yet.
    mutating func view(_ item: SaveItem, from backend: BrowserBackend, _ search: BrowserSearch) {
        let before = work
        before?.cancel()
        if item.photo.file == nil { makeFolder() }
        work = Task { [services, queue, folder] in
            await before?.value
            do {
                let path = try await Self.path(of: item, backend, services.viewFolder, folder)
                try Task.checkCancellation()
                try services.open(.file(path))
                let name = path.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? path
                queue.add(.event(.notice(.opened(name.shown))))
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
        guard let folder, let path = services.viewFolder, (try? await folder.value) != nil else { return }
        _ = try? await threads.run { _ in
            // A link would lead elsewhere.
            guard try Folder.working.status(of: path).kind == .folder else { return }
            try Folder(opening: path).removeContents()
            try Folder.working.removeFolder(path)
        }
    }

    private mutating func makeFolder() {
        guard folder == nil, let path = services.viewFolder else { return }
        folder = Task { [threads] in
            let isNew = try await threads.run { _ in try Folder.working.createFolder(path, permissions: 0o700) }
            // An existing folder may belong to another user.
            guard isNew else { throw BrowserError("\(path): File exists") }
        }
    }

    private static func path(
        of item: SaveItem, _ backend: BrowserBackend, _ path: String?, _ folder: Task<Void, any Error>?
    ) async throws -> [UInt8] {
        if let file = item.photo.file { return LocalFile.absolutePath(file.path) }
        guard let path, let folder else { throw BrowserError("no folder for temporary files") }
        try await folder.value
        let (item, _) = try await item.completed(by: backend)
        guard let source = item.source else { throw BrowserError("no image") }
        let target = SaveTarget(path: path, name: item.name, isFolder: true)
        return Array(try await backend.save(source, target) { _, _ in }.utf8)
    }
}
