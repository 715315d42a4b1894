internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPipeline

extension SaveScreen: ScreenFeature {
    static let kind = ScreenKind.panel
    func scope(in state: AppState) -> KeyScope { purpose == .originals ? .save : .export }

    func hints(in state: AppState) -> [Action] {
        guard isEditing else { return [.back] }
        return purpose == .originals ? [.submit, .back] : [.submit, .up, .down, .back]
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        guard isEditing else { return }
        var screen = self
        let index = rows.firstIndex(of: row) ?? 0
        switch action {
        case .submit: return state.submit(self, &effects)
        case .up: screen.row = rows[max(index - 1, 0)]
        case .down: screen.row = rows[min(index + 1, rows.count - 1)]
        case .caretLeft where row == .format, .caretRight where row == .format:
            screen.stepFormat((action == .caretRight) != state.language.isRightToLeft ? 1 : -1)
        default:
            guard var field, field.perform(action) else { return }
            screen.field = field
        }
        state.replaceTop(.save(screen))
    }

    func turnWheel(_ step: Int, in state: inout AppState, _ effects: inout Effects) {}

    func close(in state: inout AppState, _ effects: inout Effects) {
        state.screens.removeLast()
        if isBusy { effects.append(.cancelSave) }
    }

    func draw(_ context: RenderContext, on canvas: inout Canvas) {
        SavePanel(context: context, save: self).draw(on: &canvas)
    }
}

extension AppState {
    // MARK: Beginning

    var selectedItem: SaveItem? {
        guard let list, let photo = list.wholeSelectedPhoto else { return nil }
        return item(photo, picture: list.picture)
    }

    private func item(_ photo: Photo, picture: Int = 1) -> SaveItem {
        let isComplete = photo.file != nil || list?.completed.contains(photo.key) == true
        return SaveItem(photo: photo, picture: picture, isComplete: isComplete)
    }

    /// The photos that an action applies to: the marked ones of the list's source, else the selected one.
    ///
    /// In the view of one photo, an unmarked photo stands for itself.
    var chosenItems: [SaveItem] {
        if case .detail = content, let selectedItem, !marks.contains(selectedItem.photo) { return [selectedItem] }
        let marked = list.map { marks.photos(of: $0.source) } ?? []
        return marked.isEmpty ? [selectedItem].compactMap(\.self) : marked.map { item($0) }
    }

    mutating func beginSaving(_ purpose: SaveScreen.Purpose, _ effects: inout Effects) {
        let items = chosenItems.filter(\.mayHaveSource)
        guard let first = items.first else { return notify(.hint(SaveTexts.all.nothingToSave)) }
        var screen = SaveScreen(purpose: purpose, items: items, path: TextField())
        screen.size = TextField(preferences.exportSize, isSelected: true)
        screen.format = preferences.exportFormat
        propose(on: &screen)
        // A search seldom names the original.
        let asksFiles = screen.isFile && !first.isComplete
        if asksFiles { screen.originalSize = .asking }
        push(.save(screen))
        guard asksFiles else { return askSize(&effects) }
        if let list { effects.append(.loadDetails(generation: list.generation, first.photo)) }
    }

    private func propose(on screen: inout SaveScreen) {
        let path = screen.isFile ? join(saveFolder, screen.items[0].name) : saveFolder.isEmpty ? "." : saveFolder
        screen.path = TextField(path)
        screen.proposal = path
    }

    /// The folder of the last save, else that of downloads, else the working folder; with `~` for the home folder.
    private var saveFolder: String {
        let start = options.downloadFolder.isEmpty ? options.workingFolder : options.downloadFolder
        let folder = preferences.saveFolder ?? start
        let home = options.homeFolder
        guard home.utf8.count > 1, folder == home || folder.hasPrefix(home + "/") else { return folder }
        return "~" + folder.dropFirst(home.count)
    }

    private func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty || folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// Requests the size of the only original; that of a file on disk is known.
    private mutating func askSize(_ effects: inout Effects) {
        guard case .save(var screen) = top, screen.isFile else { return }
        switch screen.items[0].source {
        case .address(let address, let trust):
            screen.originalSize = .asking
            effects.append(.askSize(address, trust))
        case .localFile(let file): screen.originalSize = .known(file.byteCount)
        default: break
        }
        replaceTop(.save(screen))
    }

    /// Continues with the original that the source has named; else with the largest file that is known, and a notice.
    mutating func completeSaving(_ result: Result<Photo, BrowserError>, of id: PhotoID, _ effects: inout Effects) {
        guard case .save(var screen) = top, screen.isFile, screen.isEditing, screen.items[0].photo.key == id,
            !screen.items[0].isComplete
        else { return }
        screen.items[0].isComplete = true
        switch result {
        case .success(let photo): screen.items[0].photo = photo
        case .failure(let problem): notice = .problem(problem.reason)
        }
        guard screen.items[0].source != nil else {
            screens.removeLast()
            return notify(.hint(SaveTexts.all.nothingToSave))
        }
        if screen.path.text == screen.proposal { propose(on: &screen) }
        replaceTop(.save(screen))
        askSize(&effects)
    }

    mutating func ask(_ screen: SaveScreen, _ effects: inout Effects) {
        var screen = screen
        screen.stage = .editing
        push(.save(screen))
        askSize(&effects)
    }

    // MARK: Running

    fileprivate mutating func submit(_ screen: SaveScreen, _ effects: inout Effects) {
        var screen = screen
        // No files are written to an unspecified place.
        guard !screen.path.text.trimmed.isEmpty else {
            screen.row = .path
            propose(on: &screen)
            return replaceTop(.save(screen))
        }
        screen.stage = .saving(SaveProgress())
        replaceTop(.save(screen))
        let path = expanded(screen.path.text)
        switch screen.purpose {
        case .originals:
            // A proposed name may not be that of the original, which the source has not named yet.
            let isProposed = screen.isFile && screen.path.text == screen.proposal
            let folder = isProposed ? Self.folder(of: path) : path
            effects.append(.save(SaveJob(items: screen.items, path: folder, isFolder: isProposed || !screen.isFile)))
        case .copies:
            preferences.exportSize = screen.size.text
            preferences.exportFormat = screen.format
            let form = CopyForm(size: screen.size.text, format: screen.format)
            effects.append(.save(SaveJob(items: screen.items, path: path, isFolder: true, copies: form)))
        }
    }

    private func expanded(_ path: String) -> String {
        guard !options.homeFolder.isEmpty, path == "~" || path.hasPrefix("~/") else { return path }
        return options.homeFolder + path.dropFirst()
    }

    private static func folder(of path: String) -> String { Array(path.utf8).folderAround?.shown ?? "" }

    // MARK: Results

    /// Handles an event; a cancelled save may end after another has begun, so only the screen that waits changes.
    mutating func handle(_ event: SaveEvent) {
        let index = screens.firstIndex { if case .save = $0 { true } else { false } }
        guard let index, case .save(var screen) = screens[index] else {
            if case .done(let outcome) = event, let path = outcome.paths.first { notice = .saved(path: path) }
            if case .cancelled = event { notice = .hint(SaveTexts.all.cancelled) }
            return
        }
        switch event {
        // A late size of an earlier photo is followed by the right one.
        case .size(let bytes) where screen.isEditing && screen.isFile && screen.items[0].isComplete:
            screen.originalSize = bytes.map { .known(max($0, 0)) } ?? .unknown
        case .progress(let progress) where !screen.isEditing: screen.stage = .saving(progress)
        case .badSize where !screen.isEditing:
            screen.stage = .editing
            screen.row = .size
            screen.isSizeBad = true
        case .cancelled where !screen.isEditing:
            screens.remove(at: index)
            return notify(.hint(SaveTexts.all.cancelled))
        case .done(let outcome) where !screen.isEditing: return end(screen, at: index, outcome)
        case .size, .progress, .badSize, .cancelled, .done: return
        }
        screens[index] = .save(screen)
    }

    private mutating func end(_ screen: SaveScreen, at index: Int, _ outcome: SaveOutcome) {
        if let path = outcome.paths.first { rememberFolder(of: screen, savedAs: path) }
        guard let problem = outcome.problem else {
            screens.remove(at: index)
            notice = Self.notice(screen, outcome)
            return
        }
        var left = screen
        left.items = outcome.failed
        left.savedCount += outcome.paths.count
        let error = BrowserError(problem.reason, canRetry: problem.canRetry)
        screens[index] = .alert(Alert(subject: .save(left), error: error))
    }

    private static func notice(_ screen: SaveScreen, _ outcome: SaveOutcome) -> Notice? {
        guard let path = outcome.paths.first else { return nil }
        let count = screen.savedCount + outcome.paths.count
        if screen.purpose == .copies { return .exported(count, folder: screen.path.text) }
        if let note = outcome.note { return .savedSmaller(path: path, note) }
        return count == 1 ? .saved(path: path) : .savedAll(count, folder: screen.path.text)
    }

    private mutating func rememberFolder(of screen: SaveScreen, savedAs path: String) {
        // The path of a file may have named a folder.
        let folder = screen.isFile ? Self.folder(of: path) : expanded(screen.path.text)
        if folder.hasPrefix("/") {
            preferences.saveFolder = folder
        } else if !options.workingFolder.isEmpty, folder != ".", !folder.isEmpty {
            // Another run may start elsewhere.
            preferences.saveFolder = join(options.workingFolder, folder)
        }
    }
}
