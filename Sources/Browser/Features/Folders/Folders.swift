internal import Glibc
internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassPipeline
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// The folders around the listed one, and what has happened to it.
struct FolderState: Sendable {
    /// The outermost first.
    var parents: [PhotoList] = []
    /// The photo that was selected in each folder that was left.
    var selected: [[UInt8]: PhotoID] = [:]
    var isChanged = false
    /// The photo that is selected when the list comes again: it was brought back from the trash.
    var returnsTo: PhotoID?
    /// Whether the program was started with the outermost folder, so that no home is around it.
    var isStart = false
    /// Whether the program was started with files whose first page has not come.
    var opensSingleFile = false
}

extension PhotoList {
    var isLocal: Bool { !query.paths.isEmpty }
    /// The path of the folder, or of a single file.
    var path: [UInt8]? { query.paths.count == 1 ? query.paths[0] : nil }
    /// The path of the folder, also around a single file.
    var folderPath: [UInt8]? { query.includesNeighbours ? path?.folderAround : path }
}

extension AppState {
    // MARK: Going

    mutating func show(_ query: PhotoQuery, at start: PhotoStart = .first, _ effects: inout Effects) {
        let paths = query.paths
        let only = query.includesNeighbours ? paths.first?.folderAround : paths.first
        let title = only.flatMap { paths.count == 1 ? shortened($0) : nil } ?? self.title(ofFiles: paths.count)
        search(title, query, source: "folder", at: start, &effects)
    }

    /// The title of a list of files that were named one by one: `18 files`.
    func title(ofFiles count: Int) -> String {
        UIStrings(language).folders.files(count, number(count))
    }

    mutating func enter(_ folder: [UInt8], _ effects: inout Effects) {
        guard var query = list?.query else { return }
        (query.paths, query.includesNeighbours) = ([folder], false)
        keepFolder()
        show(query, at: folders.selected[folder].map { .photo(id: $0.text, or: 0) } ?? .first, &effects)
    }

    /// Keeps a list of own files, which Escape leads back to from the list that replaces it.
    mutating func keepFolder() {
        guard list?.isLocal == true else { return }
        endRange()
        // A filter that leaves nothing, or all, is not kept.
        if let filter = list?.filter, filter.matches.isEmpty || filter.field.text.trimmed.isEmpty { clearFilter() }
        list?.filter?.isTyping = false
        if let list { folders.parents.append(list) }
        folders.isChanged = false
    }

    /// Enters the folder that is shown in full, if it is one.
    mutating func openFolder(_ effects: inout Effects) {
        if list?.selectedPhoto?.mediaType == .folder { openDetail(&effects) }
    }

    /// Shows the folder around, as it was, and lists it again; returns `false` in the outermost folder.
    mutating func leaveFolder(_ effects: inout Effects) -> Bool {
        guard let parent = folders.parents.popLast() else { return false }
        endRange()
        if let path = list?.path { folders.selected[path] = selectedItem?.photo.key }
        savePlace(&effects)
        folders.returnsTo = nil
        list = parent
        screens = [.home(SearchScreen()), .list]
        listAgain(&effects)
        return true
    }

    /// The keys that leave a list: Escape leads nowhere from the files that the program was started with.
    var leavingHints: [Action] {
        folders.isStart && folders.parents.isEmpty && list?.filter == nil ? [.quit] : [.back, .quit]
    }

    /// Goes up one level from a list: to the folder around, else home; what the program was started with has no home.
    mutating func leaveList(_ effects: inout Effects) {
        if leaveFolder(&effects) { return }
        if folders.isStart { notify(.quitByKey) } else { goHome(with: "", &effects) }
    }

    /// Titles a list with folders, which was that of files before it was known: `2 folders`, `18 files, 1 folder`.
    mutating func nameFolders() {
        guard let list, list.isLocal, list.path == nil, list.isAtStart, list.isAtEnd else { return }
        let folders = list.photos.count { $0.mediaType == .folder }
        guard folders > 0 else { return }
        let files = list.photos.count - folders
        let strings = UIStrings(language).folders
        let text = strings.folders(folders, number(folders))
        let title = files > 0 ? title(ofFiles: files) + strings.and + text : text
        self.list?.search = title
    }

    mutating func openSingleFile(_ effects: inout Effects) {
        folders.opensSingleFile = false
        guard let list, list.query.includesNeighbours, case .list = top, !isFiltering,
            let file = list.selectedPhoto?.file, file.path == list.path
        else { return }
        openDetail(&effects)
    }

    /// Sorts the list by the next order, and the folders that are entered from it; those around it stay as they are.
    mutating func changeOrder(_ effects: inout Effects) {
        guard let list, list.isLocal else { return }
        // Files come at first in the order in which they were given.
        let orders = (list.path == nil ? [nil] : []) + FolderOrder.allCases
        let order = orders[((orders.firstIndex(of: list.query.folderOrder) ?? 0) + 1) % orders.count]
        self.list?.query.folderOrder = order
        restart(list.again, isQuiet: true, &effects)
        notice = order.map { .sorted($0) }
    }

    /// Lists the pictures of all folders inside, too, or of the folder alone.
    mutating func toggleSubfolders(_ effects: inout Effects) {
        guard var list, list.isLocal else { return }
        var selected = list.selectedPhoto?.key
        if list.query.includesSubfolders, let folder = list.folderPath, let path = list.selectedPhoto?.file?.path {
            selected = PhotoID(path.entry(in: folder).uniqueText)
        }
        if let folder = list.folderPath { (list.query.paths, list.query.includesNeighbours) = ([folder], false) }
        list.query.includesSubfolders.toggle()
        self.list = list
        restart(selected.map { .finds($0) } ?? .selects(0), isQuiet: true, &effects)
    }

    /// Offers the folder that the program shows on the home screen of a later run.
    mutating func rememberFolder(_ effects: inout Effects) {
        guard let list, !list.query.includesNeighbours, let path = list.path, folders.parents.isEmpty,
            options.archive == nil, let text = String(validating: path, as: UTF8.self),
            !list.photos.contains(where: { $0.file?.path == path })
        else { return }
        remember(RecentSearch(text, source: RecentSearch.folder), &effects)
    }

    // MARK: Changes

    /// Unmarks files that are gone from a list that was read again, and names one that was marked or shown in full.
    ///
    /// `D` would hit another photo. Nothing is said of what went to the trash.
    mutating func noticeGoneFiles(of before: PhotoList) {
        guard case .keeps(let selected, _)? = before.awaited, let list, list.isAtStart, list.isAtEnd,
            !list.photos.isEmpty
        else { return }
        let gone = before.photos.filter { !list.ids.contains($0.key) }
        let missed = gone.first { photo in
            (marks.contains(photo) || topDetail != nil && photo.key == selected)
                && !trashed.joined().contains { $0.photo.key == photo.key }
        }
        for photo in gone { marks.remove(photo) }
        if let missed { notice = .fileGone(missed.title) }
    }

    mutating func reconcileFolder(_ effects: inout Effects) {
        if list?.isLocal != true { folders.isChanged = false }
        if folders.isChanged, list?.isLoadingNext == false, list?.isLoadingPrevious == false {
            folders.isChanged = false
            listAgain(&effects)
        }
    }

    /// Reads the headers of the files on the screen, and on one screen below and above, and counts what is in folders there.
    mutating func reconcileFiles(_ effects: inout Effects) {
        guard let list, list.isLocal, list.awaited == nil, !coversContent else { return }
        let shown = geometry.positions(from: list.topRow)
        let (below, above) = (shown.map { $0 + shown.count }, shown.map { $0 - shown.count })
        let unread = (shown + below + above).compactMap { list.photo(at: $0) }.filter { photo in
            photo.file != nil && photo.unsupportedFormat == nil && !list.completed.contains(photo.key)
        }
        guard unread.contains(where: { !list.reading.contains($0.key) }) else { return }
        self.list?.reading = Set(unread.map(\.key))
        effects.append(.readFiles(generation: list.generation, unread))
    }

    private mutating func listAgain(_ effects: inout Effects) {
        guard let list else { return }
        restart(folders.returnsTo.map { .finds($0) } ?? list.again, isQuiet: true, &effects)
        folders.returnsTo = nil
    }

    /// Returns a path as text, with `~` for the home folder.
    func shortened(_ path: [UInt8]) -> String {
        var home = Array(options.homeFolder.utf8)
        while home.count > 1, home.last == UInt8(ascii: "/") { home.removeLast() }
        guard home.count > 1, path.starts(with: home), path.count == home.count || path[home.count] == UInt8(ascii: "/")
        else { return path.shown }
        return "~" + Array(path[home.count...]).shown
    }
}

extension [UInt8] {
    /// Returns the path, or that of the folder inside `folder` that holds it.
    fileprivate func entry(in folder: [UInt8]) -> [UInt8] {
        let start = folder.appending(name: [])
        guard starts(with: start), let end = self[start.count...].firstIndex(of: UInt8(ascii: "/")) else { return self }
        return Array(self[..<end])
    }
}

extension Action {
    static let changeOrder = Action(
        "changeOrder", "change order", "Reihenfolge", "changer l’ordre", "cambiar el orden", "並べ替え", "تغيير الترتيب")
    static let toggleSubfolders = Action(
        "toggleSubfolders", "with subfolders", "mit Unterordnern", "sous-dossiers", "con subcarpetas",
        "サブフォルダーも", "مع المجلدات الفرعية")
}

extension KeyTable {
    static let folders = bind(in: photos, ([.plain("S")], .changeOrder), ([.plain("R")], .toggleSubfolders))
}

final class FolderTexts: Sendable {
    static let all = FolderTexts()
    let reading = Template(
        { "Reading \($0)" }, { "\($0) wird gelesen" }, { "Lecture de \($0)" }, { "Leyendo \($0)" }, { "\($0) を読み込み中" },
        { "جارٍ قراءة \($0)" })
    let emptyFolder = Template(
        { "No photos in \($0)" }, { "Keine Fotos in \($0)" }, { "Aucune photo dans \($0)" },
        { "No hay fotos en \($0)" }, { "\($0) に写真はありません" }, { "لا توجد صور في \($0)" })
    let cannotOpen = Template(
        { "Cannot open \($0)" }, { "\($0) lässt sich nicht öffnen" }, { "Impossible d’ouvrir \($0)" },
        { "No se puede abrir \($0)" }, { "\($0) を開けません" }, { "تعذر فتح \($0)" })
    let outermost = Text(
        "No folder above the one that you opened", "Über dem geöffneten Ordner geht es nicht weiter",
        "Rien au-dessus du dossier ouvert", "Nada por encima de la carpeta abierta", "開いたフォルダーより上へは行けません",
        "لا مجلد فوق الذي فتحته")
    let fileGone = Template(
        { "\($0) is gone" }, { "\($0) ist nicht mehr da" }, { "\($0) a disparu" }, { "\($0) ya no está" },
        { "\($0) はもうありません" },
        { "اختفى \($0)" })
    let photos = Counted(
        { "\($1) \($0 == 1 ? "photo" : "photos")" }, { "\($1) \($0 == 1 ? "Foto" : "Fotos")" },
        { "\($1) \($0 < 2 ? "photo" : "photos")" }, { "\($1) \($0 == 1 ? "foto" : "fotos")" },
        { _, written in "写真 \(written) 枚" }, { arabicPhotos($0, $1) })
    let folders = Counted(
        { "\($1) \($0 == 1 ? "folder" : "folders")" }, { _, written in "\(written) Ordner" },
        { "\($1) \($0 < 2 ? "dossier" : "dossiers")" }, { "\($1) \($0 == 1 ? "carpeta" : "carpetas")" },
        { _, written in "フォルダー \(written) 個" },
        { arabicCount($0, $1, one: "مجلد واحد", two: "مجلدان", few: "مجلدات", many: "مجلدًا") })
    /// The title of a list of several files.
    let files = Counted(
        { "\($1) \($0 == 1 ? "file" : "files")" }, { "\($1) \($0 == 1 ? "Datei" : "Dateien")" },
        { "\($1) \($0 < 2 ? "fichier" : "fichiers")" }, { "\($1) \($0 == 1 ? "archivo" : "archivos")" },
        { _, written in "ファイル \(written) 件" },
        { arabicCount($0, $1, one: "ملف واحد", two: "ملفان", few: "ملفات", many: "ملفًا") })
    /// Between photos and folders.
    let and = Text(", ", ", ", ", ", ", ", "、", "، ")
    let empty = Text("empty", "leer", "vide", "vacía", "空", "فارغ")
    let withSubfolders = Text(
        "with subfolders", "mit Unterordnern", "avec sous-dossiers", "con subcarpetas", "サブフォルダーを含む",
        "مع المجلدات الفرعية")
    let byName = Text(
        "Sorted by name", "Nach Namen sortiert", "Triées par nom", "Ordenadas por nombre", "名前順", "مرتبة حسب الاسم")
    let byTime = Text(
        "Newest first", "Neueste zuerst", "Les plus récentes d’abord", "Las más recientes primero", "新しい順",
        "الأحدث أولًا")
    let bySize = Text(
        "Largest first", "Größte zuerst", "Les plus grandes d’abord", "Las más grandes primero", "大きい順", "الأكبر أولًا")
    let byChance = Text(
        "In random order", "In zufälliger Reihenfolge", "Dans un ordre aléatoire", "En orden aleatorio", "ランダム順",
        "بترتيب عشوائي")
}

extension UIStrings {
    var folders: Localized<FolderTexts> { Localized(.all, language) }

    func name(of order: FolderOrder) -> String {
        switch order {
        case .name: folders.byName
        case .time: folders.byTime
        case .size: folders.bySize
        case .random: folders.byChance
        }
    }
}

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
            try await Self.follow(watch, on: threads) { _ in queue.add(.folderChanged()) }
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
            try await Self.follow(watch, on: innerThreads) { queue.add(.folderChanged(inner: $0)) }
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
