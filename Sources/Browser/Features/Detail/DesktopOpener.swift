internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPipeline
internal import SpyglassTerminalUI
internal import SpyglassThreads

extension Action {
    static let openPage = Action(
        "openPage", "open page", "Seite öffnen", "ouvrir la page", "abrir página", "ページを開く", "فتح الصفحة")
    static let openPicture = Action(
        "openPicture", "open in viewer", "im Bildbetrachter öffnen", "ouvrir l’image", "abrir en el visor", "ビューアーで開く",
        "فتح في العارض")
    static let copyAddress = Action(
        "copyAddress", "copy path or address", "Pfad oder Adresse kopieren", "copier chemin ou adresse",
        "copiar ruta o dirección", "パスかアドレスをコピー",
        "نسخ المسار أو العنوان")
}

extension KeyTable {
    static let opening = bind(
        in: photos.union([.detail]), ([.plain("o")], .openPage), ([.plain("O")], .openPicture),
        ([.plain("y")], .copyAddress))
}

extension AppState {
    mutating func openPage(of photo: Photo, _ effects: inout Effects) {
        guard let page = photo.shareable else { return notify(.hint(DetailTexts.all.noPage)) }
        // Over ssh, the user would not see a browser here.
        if traits.isRemote { notice = .link(page.text) } else { effects.append(.open(page)) }
    }

    mutating func openPicture(_ effects: inout Effects) {
        guard let item = selectedItem, item.mayHaveSource else { return notify(.hint(SaveTexts.all.nothingToSave)) }
        guard !traits.isRemote else { return notify(.hint(DetailTexts.all.noViewer)) }
        if item.photo.file == nil { notice = .hint(DetailTexts.all.fetching) }
        effects.append(.view(item))
    }

    /// Copies the paths or addresses of the marked photos, one per line, or else of the selected one.
    mutating func copyAddresses(_ effects: inout Effects) {
        let photos = chosenItems.map(\.photo)
        // Text cannot hold the bytes of every path.
        let texts = photos.compactMap { photo in
            photo.file.map { String(validating: $0.path, as: UTF8.self) } ?? photo.shareable?.text
        }
        guard let first = texts.first else { return notify(.hint(DetailTexts.all.nothingToCopy)) }
        effects.append(.copy(texts.joined(separator: "\n")))
        guard photos.count == 1 else {
            return notify(.copied(UIStrings(language).marks.marked(number(texts.count))))
        }
        notice = .copied(photos[0].file == nil ? photos[0].shareable.map { "\($0)" } ?? first : first)
    }
}

/// Opens pictures in the desktop's viewer, and runs commands on them; `finish` removes the private folder of those from the web.
struct PictureViewer {
    let services: BrowserServices
    let queue: EventQueue
    private let threads = ThreadPool(count: 1)
    private var work: Task<Void, Never>?
    /// Makes the folder; a later picture does not cancel it.
    private var folder: Task<Void, any Error>?
    /// The files in the folder: a photo is saved once.
    private let saved = Monitor<[ImageSource: LocalFile]>([:])

    init(_ services: BrowserServices, _ queue: EventQueue) { (self.services, self.queue) = (services, queue) }

    /// Replaces an earlier picture that has not been opened yet.
    mutating func view(_ item: SaveItem, from backend: BrowserBackend, _ search: BrowserSearch) {
        begin(with: [item], from: backend, search, onFailure: { .cannotView($0) }) { [services, queue] paths in
            for path in paths {
                try services.open(path)
                queue.add(.event(.notice(.opened(path.lastName.shown))))
            }
        }
    }

    /// Replaces earlier work; `body` gets the paths of the items, once those of the web are saved.
    mutating func begin(
        with items: [SaveItem], from backend: BrowserBackend, _ search: BrowserSearch,
        onFailure notice: @escaping @Sendable (_ reason: String) -> Notice,
        _ body: @escaping @Sendable (_ paths: [[UInt8]]) throws -> Void
    ) {
        let before = work
        before?.cancel()
        if items.contains(where: { $0.photo.file == nil }) { makeFolder() }
        work = Task { [self] in
            await before?.value
            do {
                var paths: [[UInt8]] = []
                for item in items { paths.append(try await path(of: item, backend)) }
                try Task.checkCancellation()
                try body(paths)
            } catch is CancellationError {
                return
            } catch {
                queue.add(.event(.notice(notice(await services.describe(error, search).reason))))
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

    private func path(of item: SaveItem, _ backend: BrowserBackend) async throws -> [UInt8] {
        if let file = item.photo.file { return LocalFile.absolutePath(file.path) }
        guard let folder, let place = services.viewFolder else { throw BrowserError("no folder for temporary files") }
        try await folder.value
        let (item, _) = try await item.completed(by: backend)
        guard let source = item.source else { throw BrowserError("no image") }
        // A command may have changed, moved or removed the file.
        if let file = saved.withLock({ $0[source] }),
            (try? await threads.run { _ in try LocalFile(file.path) }) == file
        {
            return file.path
        }
        let target = SaveTarget(path: place, name: item.name, isFolder: true)
        let path = Array(try await backend.save(source, target) { _, _ in }.utf8)
        if let file = try? await threads.run({ _ in try LocalFile(path) }) {
            saved.withLock { $0[source] = file }
        }
        return path
    }
}

/// Opens pages and pictures with `xdg-open` (freedesktop.org), in the user's web browser and viewer.
package enum DesktopOpener {
    /// Starts the program without a shell, in its own session and without our streams (`posix_spawnp`).
    /// - Throws: `BrowserError` if the program cannot be started.
    package static func open(_ target: [UInt8]) throws(BrowserError) { try open(target, with: "xdg-open") { _ in } }

    static func open(
        _ target: [UInt8], with program: String, onEnd: @escaping @Sendable (ChildProgram.End) -> Void
    ) throws(BrowserError) {
        let child = try ChildProgram([Array(program.utf8), target], on: nil)
        // Waits on a thread of its own, so that no zombie stays; a web browser may run for hours.
        Task.detached {
            let end = try? await ThreadPool(count: 1).run { _ in child.wait() }
            onEnd(end ?? .exit(0))
        }
    }
}
