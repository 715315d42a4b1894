internal import Glibc
internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassTerminalUI
internal import SpyglassThreads

extension Action {
    static let openPage = Action(
        "openPage", "open page", "Seite öffnen", "ouvrir la page", "abrir página", "ページを開く", "فتح الصفحة")
    static let openPicture = Action(
        "openPicture", "open in viewer", "im Bildbetrachter öffnen", "ouvrir l’image", "abrir en el visor", "ビューアーで開く",
        "فتح في العارض")
    static let copyAddress = Action(
        "copyAddress", "copy address", "Adresse kopieren", "copier l’adresse", "copiar dirección", "アドレスをコピー",
        "نسخ العنوان")
}

extension KeyTable {
    static let opening = bind(
        in: photos.union([.detail]), ([.plain("o")], .openPage), ([.plain("O")], .openPicture),
        ([.plain("y")], .copyAddress))
}

extension AppState {
    mutating func openPage(of photo: Photo, _ effects: inout Effects) {
        guard let page = photo.shareable else { return notify(.noPage) }
        // Over ssh, the user would not see a browser here.
        if traits.isRemote { notice = .link(page.text) } else { effects.append(.open(page)) }
    }

    mutating func openPicture(_ effects: inout Effects) {
        guard let item = selectedItem, item.mayHaveSource else { return notify(.nothingToSave) }
        guard !traits.isRemote else { return notify(.noViewer) }
        if item.photo.file == nil { notice = .fetching }
        effects.append(.view(item))
    }

    mutating func copyAddress(of photo: Photo, _ effects: inout Effects) {
        // Text cannot hold the bytes of every path.
        let text = photo.file.map { String(validating: $0.path, as: UTF8.self) } ?? photo.shareable?.text
        guard let text else { return notify(.nothingToCopy) }
        effects.append(.copy(text))
        notice = .copied(photo.file == nil ? photo.shareable.map { "\($0)" } ?? text : text)
    }
}

/// Opens pictures in the desktop's viewer; those of the web are saved first, in a private folder that `finish` removes.
struct PictureViewer {
    private let services: BrowserServices
    private let queue: EventQueue
    private let threads = ThreadPool(count: 1)
    private var work: Task<Void, Never>?
    /// Makes the folder; a later picture does not cancel it.
    private var folder: Task<Void, any Error>?

    init(_ services: BrowserServices, _ queue: EventQueue) { (self.services, self.queue) = (services, queue) }

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

/// Opens pages and pictures with `xdg-open` (freedesktop.org), in the user's web browser and viewer.
package enum DesktopOpener {
    /// Starts the program without a shell, in its own session and without our streams (`posix_spawnp`).
    /// - Throws: `BrowserError` if the program cannot be started.
    package static func open(_ target: OpenTarget) throws(BrowserError) {
        try Self.open(target, with: "xdg-open")
    }

    static func open(
        _ target: OpenTarget, with program: String, onEnd: @escaping @Sendable (Int32) -> Void = { _ in }
    ) throws(BrowserError) {
        switch target {
        case .page(let address): reap(try start(program, Array(address.text.utf8)), onEnd)
        case .file(let path): reap(try start(program, path), onEnd)
        }
    }

    /// `POSIX_SPAWN_SETSID` (<spawn.h>), which Swift does not import: keeps Ctrl-C from the program.
    private static let newSession: Int16 = 0x80

    private static func start(_ program: String, _ argument: [UInt8]) throws(BrowserError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (stream, mode) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_WRONLY), (STDERR_FILENO, O_WRONLY)] {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", mode, 0)
        }
        // libcurl 7.88 opens two sockets without close-on-exec.
        // `posix_spawn` tolerates those of `/proc/self/fd` (proc(5)) that have been closed since.
        for name in (try? Folder(opening: "/proc/self/fd").names()) ?? [] {
            guard let descriptor = Int32(name.shown), descriptor > STDERR_FILENO else { continue }
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        // The program must not inherit blocked or ignored signals.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | newSession)
        var strings: [UnsafeMutablePointer<CChar>?] = [strdup(program), argument.withCPath { strdup($0) }, nil]
        defer { for word in strings { free(word) } }
        var process: pid_t = 0
        let status = posix_spawnp(&process, program, &actions, &attributes, &strings, environ)
        guard status == 0 else { throw BrowserError("\(program): \(String(cString: strerror(status)))") }
        return process
    }

    /// Waits for the program on its own thread, so that no zombie stays; a web browser may run for hours.
    private static func reap(_ process: pid_t, _ onEnd: @escaping @Sendable (Int32) -> Void) {
        Task.detached {
            let status = try? await ThreadPool(count: 1).run { _ in
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                return status
            }
            onEnd(status ?? 0)
        }
    }
}
