internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// Asks before several files go to the trash, or one that is not selected.
struct TrashScreen: Hashable, Sendable {
    /// At least one, all with files.
    let photos: [Photo]
}

/// A photo in the trash.
struct TrashedPhoto: Hashable, Sendable {
    let photo: Photo
    let item: Trash.Item
    /// Whether its path was among those of a list of named files.
    var isNamed = false
    var isMarked = false
}

extension TrashScreen: ScreenFeature {
    static let kind = ScreenKind.panel
    private static let columns = 60
    private static let maxNames = 8

    func scope(in state: AppState) -> KeyScope { .question }
    func hints(in state: AppState) -> [Action] { [.submit, .back] }

    func label(of action: Action, in state: AppState, _ strings: UIStrings) -> String? {
        action == .submit ? strings.trash.move : action == .back ? strings.app.cancel : nil
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        guard action == .submit else { return }
        state.screens.removeLast()
        effects.append(.trash(photos))
    }

    func draw(_ context: RenderContext, on canvas: inout Canvas) {
        let columns = Panel.columns(Self.columns, on: canvas)
        let names = photos.count > Self.maxNames ? photos.prefix(Self.maxNames - 1) : photos[...]
        let folder = context.state.list?.folderPath?.appending(name: [])
        var lines = names.map { photo in
            // Marks may be in other folders.
            var name = photo.nameInList
            if let folder, let path = photo.file?.path {
                let isInside = path.starts(with: folder)
                name = isInside ? Array(path[folder.count...]).shown : context.state.shortened(path)
            }
            return [Canvas.Piece(canvas.clean(name.withoutFirstFolders(to: columns), columns: columns))]
        }
        if names.count < photos.count {
            let more = context.strings.trash.more(context.number(photos.count - names.count))
            lines.append([.init(canvas.clean(more, columns: columns), .dim)])
        }
        let title = context.strings.trash.question(photos.count, context.number(photos.count))
        let panel = Panel(
            title: canvas.clean(title, columns: columns), columns: columns, lines: lines, .title, on: &canvas)
        panel.draw(lines, keys: context.hints, on: &canvas)
    }
}

extension String {
    /// Drops the first folders of a path that is too long: `…/Day 3/a.jpg`.
    fileprivate func withoutFirstFolders(to columns: Int) -> String {
        var rest = self[...]
        while rest.count > columns - 2, self.count > columns, let slash = rest.firstIndex(of: "/") {
            rest = rest[index(after: slash)...]
        }
        return rest.count < count ? "…/\(rest)" : self
    }
}

extension AppState {
    /// Moves the chosen files to the trash; asks first, unless the selected file is the only one.
    mutating func moveToTrash(_ effects: inout Effects) {
        guard let list else { return }
        guard list.isLocal else { return notify(.hint(TrashTexts.all.notTrashable)) }
        let chosen = chosenItems.map(\.photo)
        let photos = chosen.filter { $0.file?.isFolder == false }
        guard let first = photos.first else {
            if chosen.contains(where: { $0.file?.isFolder == true }) { notify(.hint(TrashTexts.all.noFolderToTrash)) }
            return
        }
        if photos.count == 1, first.key == selectedItem?.photo.key {
            effects.append(.trash(photos))
        } else {
            push(.trash(TrashScreen(photos: photos)))
        }
    }

    /// Moves back the files that went to the trash last.
    mutating func restoreFromTrash(_ effects: inout Effects) {
        guard let last = trashed.popLast() else { return notify(.hint(TrashTexts.all.nothingToRestore)) }
        effects.append(.restore(last))
    }

    mutating func receive(trashed new: [TrashedPhoto], _ problem: BrowserError?) {
        var new = new
        for index in new.indices {
            new[index].isMarked = marks.contains(new[index].photo)
            marks.remove(new[index].photo)
        }
        if !new.isEmpty {
            listChangedFiles { paths in
                let left = paths.filter { path in !new.contains { $0.photo.file?.path == path } }
                // One path is a folder, or a file with its neighbours.
                guard left.count > 1 else { return }
                for index in new.indices {
                    new[index].isNamed = new[index].photo.file.map { paths.contains($0.path) } ?? false
                }
                paths = left
            }
            trashed.append(new)
        }
        let told: Notice? = problem.map { .notTrashed($0.reason) }
        notice = told ?? new.first.map { .trashed($0.photo.title, new.count) } ?? notice
    }

    /// Unmarks photos whose files are gone, and reads the list again: with `R`, folders inside are not watched.
    mutating func forget(_ lost: [Photo]) {
        for photo in lost { marks.remove(photo) }
        listChangedFiles { paths in
            let left = paths.filter { path in !lost.contains { $0.file?.path == path } }
            // One path is a folder, or a file with its neighbours.
            if left.count > 1 { paths = left }
        }
    }

    mutating func receive(restored: [TrashedPhoto], left: [TrashedPhoto], _ problem: BrowserError?) {
        // The next `U` is for what went before.
        if !left.isEmpty { trashed.insert(left, at: 0) }
        for trashed in restored where trashed.isMarked { marks.insert(trashed.photo) }
        if !restored.isEmpty {
            listChangedFiles { paths in
                let named = restored.filter(\.isNamed).compactMap(\.photo.file?.path)
                for path in named where !paths.contains(path) { paths.append(path) }
            }
            // Only a list that shows the file can select it.
            if let photo = restored.first?.photo, let path = photo.file?.path, let list, list.isLocal,
                list.folderPath.map({ isShown(path, inList: $0) }) ?? true
            {
                folders.returnsTo = photo.key
            }
        }
        notice =
            problem.map { .notRestored($0.reason) } ?? restored.first.map { .restored($0.photo.title, restored.count) }
    }

    private func isShown(_ path: [UInt8], inList folder: [UInt8]) -> Bool {
        let withSubfolders = list?.query.includesSubfolders == true
        return withSubfolders ? path.starts(with: folder.appending(name: [])) : path.folderAround == folder
    }

    /// Lists a folder again, also without a watch; of files that were named one by one, with changed paths.
    private mutating func listChangedFiles(_ change: (inout [[UInt8]]) -> Void) {
        guard list?.isLocal == true else { return }
        if list?.path == nil, var paths = list?.query.paths {
            change(&paths)
            let title = self.title(ofFiles: paths.count)
            list?.query.paths = paths
            list?.search = title
        }
        folders.isChanged = true
    }
}

/// Moves files to the trash and back, one after the other; what has begun is done.
struct TrashRunner {
    private let trash: Trash?
    private let queue: EventQueue
    private let threads = ThreadPool(count: 1)
    private var work: Task<Void, Never>?

    init(_ trash: Trash?, _ queue: EventQueue) { (self.trash, self.queue) = (trash, queue) }

    mutating func put(_ photos: [Photo]) {
        run { [trash] in
            var done: [TrashedPhoto] = []
            var problem: BrowserError?
            for photo in photos {
                guard let path = photo.file?.path, let trash else { continue }
                do throws(FileError) {
                    done.append(TrashedPhoto(photo: photo, item: try trash.put(path)))
                } catch  where (try? LocalFile(path)) == nil {
                    // The key before has moved it.
                } catch { problem = problem ?? BrowserError(error, of: photo) }
            }
            return .trashed(done, problem)
        }
    }

    mutating func restore(_ photos: [TrashedPhoto]) {
        run {
            var (done, left): ([TrashedPhoto], [TrashedPhoto]) = ([], [])
            var problem: BrowserError?
            for photo in photos {
                do throws(FileError) {
                    try Trash.restore(photo.item)
                    done.append(photo)
                } catch {
                    left.append(photo)
                    problem = problem ?? BrowserError(error, of: photo.photo)
                }
            }
            return .restored(done, left: left, problem)
        }
    }

    func finish() async { await work?.value }

    private mutating func run(_ body: @escaping @Sendable () -> BrowserEvent) {
        work = Task { [queue, threads, before = work] in
            await before?.value
            if let event = try? await threads.run({ _ in body() }) { queue.add(.event(event)) }
        }
    }
}

extension BrowserError {
    /// The reason before the path: a short line cuts off the end.
    fileprivate init(_ error: FileError, of photo: Photo) {
        self.init("\(photo.title): \(error.reason) (\(error.path))")
    }
}

extension Action {
    static let trash = Action(
        "trash", "move to trash", "in den Papierkorb", "à la corbeille", "a la papelera", "ゴミ箱へ", "إلى المهملات")
    static let restore = Action(
        "restore", "restore from trash", "Papierkorb rückgängig", "annuler la corbeille", "deshacer la papelera",
        "ゴミ箱から戻す", "تراجع عن المهملات")
}

extension KeyTable {
    static let trash =
        bind(in: photos.union([.detail]), ([.plain("D")], .trash), ([.plain("U")], .restore))
        + bind(in: [.question], ([Key(.enter), .plain("y")], .submit))
        + bind(in: [.question], isHidden: true, ([.plain("n")], .back))
}

final class TrashTexts: Sendable {
    static let all = TrashTexts()
    let move = Text("move", "verschieben", "déplacer", "mover", "移す", "نقل")
    let question = Counted(
        { $0 == 1 ? "Move the marked file to the trash?" : "Move \($1) files to the trash?" },
        { $0 == 1 ? "Die markierte Datei in den Papierkorb?" : "\($1) Dateien in den Papierkorb?" },
        { $0 == 1 ? "Mettre le fichier marqué à la corbeille ?" : "Mettre \($1) fichiers à la corbeille ?" },
        { $0 == 1 ? "¿Mover el archivo marcado a la papelera?" : "¿Mover \($1) archivos a la papelera?" },
        { _, written in "選択した \(written) 個のファイルをゴミ箱へ移しますか？" },
        { $0 == 1 ? "نقل الملف المعلَّم إلى المهملات؟" : "نقل الملفات إلى المهملات (\($1))؟" })
    let more = Template(
        { "and \($0) more" }, { "und \($0) weitere" }, { "et \($0) autres" }, { "y \($0) más" }, { "ほか \($0) 個" },
        { "و\($0) أخرى" })
    let trashed = Template2(
        { "\($0) is in the trash; \($1) brings it back" }, { "\($0) ist im Papierkorb; \($1) holt die Datei zurück" },
        { "\($0) est dans la corbeille ; \($1) l’en ressort" }, { "\($0) está en la papelera; \($1) la devuelve" },
        { "\($0) をゴミ箱へ移しました。\($1) で戻します" }, { "\($0) في المهملات؛ يعيده \($1)" })
    let trashedAll = Template2(
        { "\($0) files are in the trash; \($1) brings them back" },
        { "\($0) Dateien sind im Papierkorb; \($1) holt sie zurück" },
        { "\($0) fichiers sont dans la corbeille ; \($1) les en ressort" },
        { "\($0) archivos están en la papelera; \($1) los devuelve" },
        { "\($0) 個のファイルをゴミ箱へ移しました。\($1) で戻します" }, { "الملفات في المهملات: \($0)؛ يعيدها \($1)" })
    let restored = Template(
        { "\($0) is back" }, { "\($0) ist wieder da" }, { "\($0) est de retour" }, { "\($0) está de vuelta" },
        { "\($0) を戻しました" }, { "عاد \($0)" })
    let restoredAll = Template(
        { "\($0) files are back" }, { "\($0) Dateien sind wieder da" }, { "\($0) fichiers sont de retour" },
        { "\($0) archivos están de vuelta" }, { "\($0) 個のファイルを戻しました" }, { "الملفات العائدة: \($0)" })
    let notTrashed = Template(
        { "Not moved to the trash: \($0)" }, { "Nicht in den Papierkorb gelegt: \($0)" },
        { "Pas mis à la corbeille : \($0)" }, { "No se movió a la papelera: \($0)" }, { "ゴミ箱へ移せません: \($0)" },
        { "لم يُنقل إلى المهملات: \($0)" })
    let notRestored = Template(
        { "Not brought back: \($0)" }, { "Nicht zurückgeholt: \($0)" }, { "Pas ressorti : \($0)" },
        { "No se devolvió: \($0)" }, { "戻せません: \($0)" }, { "لم يُعَد: \($0)" })
    let nothingToRestore = Text(
        "Nothing from this session is in the trash", "Aus dieser Sitzung liegt nichts im Papierkorb",
        "Rien de cette session n’est dans la corbeille", "Nada de esta sesión está en la papelera",
        "このセッションのものはゴミ箱にありません", "لا شيء من هذه الجلسة في المهملات")
    let noFolderToTrash = Text(
        "Folders cannot be moved to the trash", "Ordner kommen nicht in den Papierkorb",
        "Les dossiers ne vont pas à la corbeille", "Las carpetas no van a la papelera", "フォルダーはゴミ箱へ移せません",
        "لا تُنقل المجلدات إلى المهملات")
    let notTrashable = Text(
        "Only your own photos can be moved to the trash", "Nur eigene Fotos kommen in den Papierkorb",
        "Seules vos propres photos vont à la corbeille", "Solo tus propias fotos van a la papelera",
        "ゴミ箱へ移せるのは自分の写真だけです", "صورك وحدها تُنقل إلى المهملات")
}

extension UIStrings { var trash: Localized<TrashTexts> { Localized(.all, language) } }
