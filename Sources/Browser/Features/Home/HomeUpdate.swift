internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct HomeScreen: ScreenFeature {
    let search: SearchScreen
    static let kind = ScreenKind.content
    func scope(in state: AppState) -> KeyScope { .home }
    func hints(in state: AppState) -> [Action] { [.submit, .up, .down, .help, .settings, .back] }

    func label(of action: Action, in state: AppState, _ strings: UIStrings) -> String? {
        switch action {
        case .submit: search.enterLabel(strings) ?? strings.home.showAll
        case .back where !search.field.text.isEmpty: strings.home.clear
        default: nil
        }
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        state.perform(action, in: search, &effects)
    }

    /// Leaves the lines, then clears the field, then quits.
    func close(in state: inout AppState, _ effects: inout Effects) {
        guard search.choice != nil || !search.field.text.isEmpty else { return state.quit(&effects) }
        // Deselects the line, too.
        state.searchField?.field = search.choice == nil ? TextField() : search.field
    }

    func imageRequests(in state: AppState) -> PictureRequests {
        PictureRequests(visible: state.homePhotos.compactMap { state.homeKey(of: $0) }.map { PictureRequest(key: $0) })
    }

    func draw(_ context: RenderContext, on canvas: inout Canvas) {
        HomeView(context: context, search: search).draw(on: &canvas)
    }
}

extension SearchPanel: ScreenFeature {
    static let kind = ScreenKind.panel
    func scope(in state: AppState) -> KeyScope { .search }
    func hints(in state: AppState) -> [Action] {
        // Own files have no home screen to go to.
        state.list?.isLocal == true && search.field.text.trimmed.isEmpty && search.choice == nil
            ? [.up, .down, .back] : [.submit, .up, .down, .back]
    }

    func label(of action: Action, in state: AppState, _ strings: UIStrings) -> String? {
        action == .submit ? search.enterLabel(strings) ?? strings.home.start : nil
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        state.perform(action, in: search, &effects)
    }

    func close(in state: inout AppState, _ effects: inout Effects) {
        if search.choice != nil { state.searchField?.choice = nil } else { state.screens.removeLast() }
    }
}

extension SearchScreen {
    fileprivate func enterLabel(_ strings: UIStrings) -> String? {
        if choice != nil { return Action.open.name(in: strings) }
        return field.text.trimmed.isEmpty ? nil : Action.submit.name(in: strings)
    }
}

// MARK: - The field

extension AppState {
    /// The search field, while it has the keys.
    var searchField: SearchScreen? {
        get {
            switch top {
            case .home(let screen), .search(let screen): screen
            default: nil
            }
        }
        set {
            guard let newValue else { return }
            if case .home = top { replaceTop(.home(newValue)) } else { replaceTop(.search(newValue)) }
        }
    }

    func searchText(in source: String) -> SearchText { SearchText(filters: options.filters[source] ?? []) }

    /// The source that the field searches: over a list that of the list, else the chosen one.
    var searchSource: String {
        if case .home = content { return preferences.source }
        guard let list, options.sources.contains(list.source) else { return preferences.source }
        return list.source
    }

    fileprivate mutating func perform(_ action: Action, in screen: SearchScreen, _ effects: inout Effects) {
        switch action {
        case .up: if screen.choice != nil || !recall(1, in: screen) { choose(-1, in: screen) }
        case .down:
            // Selected words are those of the list, not of a walk through the history.
            if screen.choice != nil || screen.field.isSelected || !recall(-1, in: screen) { choose(1, in: screen) }
        case .submit: submit(screen, &effects)
        case .olderSearch: _ = recall(1, in: screen)
        case .newerSearch: _ = recall(-1, in: screen)
        case .caretLeft where isOnPhoto(screen), .caretRight where isOnPhoto(screen):
            choosePhoto((action == .caretRight) != language.isRightToLeft ? 1 : -1, in: screen)
        // Ctrl-D in an empty field ends the program, as in a shell.
        case .deleteForward where top == .home(screen) && screen.field.text.isEmpty: leave(&effects)
        default:
            var screen = screen
            if screen.field.perform(action) { searchField = screen }
        }
    }

    private mutating func choose(_ step: Int, in screen: SearchScreen) {
        // The field counts as the line before the first, the pictures are the last line together.
        let choices = choices(of: screen)
        let texts = choices.count { !$0.isPhoto }
        let lines = texts + 1 + (choices.count > texts ? 1 : 0)
        let line = (min((screen.choice ?? -1) + 1, lines - 1) + step + lines) % lines
        searchField?.choice = line == 0 ? nil : line - 1
    }

    private func isOnPhoto(_ screen: SearchScreen) -> Bool { chosen(of: screen)?.isPhoto == true }

    private mutating func choosePhoto(_ step: Int, in screen: SearchScreen) {
        let choices = choices(of: screen)
        guard let choice = screen.choice.map({ $0 + step }), choices.indices.contains(choice), choices[choice].isPhoto
        else { return }
        searchField?.choice = choice
    }

    /// Puts an older search (1) or a newer one (-1) into the field; returns `false` if there is none.
    private mutating func recall(_ step: Int, in screen: SearchScreen) -> Bool {
        // Only searches of the source that the field searches.
        let sources = [nil, options.placeSource(searchSource)]
        let texts = home.history.filter { sources.contains($0.source) && options.canSearch($0.source) }.map(\.text)
        var field = screen.field
        // The oldest one stays, so that Up never leaves the history for the lines.
        guard field.recall(step, in: texts) else { return step > 0 && !texts.isEmpty }
        searchField?.field = field
        return true
    }

    private mutating func submit(_ screen: SearchScreen, _ effects: inout Effects) {
        switch chosen(of: screen) {
        case .resume(let place): submit(place.search, source: place.source, at: .position(place.position), &effects)
        case .recent(let search) where search.isFolder:
            var query = PhotoQuery()
            query.paths = [Array(search.text.utf8)]
            folders.parents = []
            show(query, &effects)
        case .recent(let search): submit(search.text, source: search.source, &effects)
        case .suggestion(let text): submit(text, &effects)
        case .photo(let home): show(home, &effects)
        case nil where screen.field.text.trimmed.isEmpty:
            guard case .search = top else { return submit("", &effects) }
            guard list?.isLocal != true else { return back(&effects) }
            if options.keepsHistory { keep(nil, &effects) }
            closeList(&effects)
            screens = [.home(SearchScreen())]
        case nil: submit(screen.field.text, &effects)
        }
    }

    // MARK: Searching

    /// Searches for a text; shows a mistake in it beside the field.
    mutating func submit(
        _ text: String, source: String? = nil, at start: PhotoStart = .first, _ effects: inout Effects
    ) {
        let text = text.trimmed
        let source = source.flatMap { options.sources.contains($0) ? $0 : nil } ?? searchSource
        do throws(SearchSyntaxError) {
            var query = try searchText(in: source).query(of: text)
            let safe = PhotoFilter.safeSearch
            let hasChoice = options.filters[source]?.contains(safe) == true && query[safe.name].isEmpty
            if !preferences.isSafe, hasChoice { query[safe.name] = ["off"] }
            keepFolder()
            search(text, query, source: source, at: start, &effects)
        } catch {
            var screen = searchField ?? SearchScreen()
            screen.field = TextField(text)
            screen.mistake = error
            if searchField == nil { push(.search(screen)) } else { searchField = screen }
        }
    }

    mutating func goHome(with text: String, _ effects: inout Effects) {
        if list != nil {
            endRange()
            savePlace(&effects)
            closeList(&effects)
        }
        screens = [.home(SearchScreen(field: TextField(text, isSelected: true)))]
    }

    private mutating func closeList(_ effects: inout Effects) {
        list = nil
        folders = FolderState()
        effects.append(.cancelSearch)
    }

    // MARK: Choices

    private static let maxChoices = 8
    private static let maxFolders = 3
    private static let maxSuggestions = 6
    private static let maxHistory = 100

    func choices(of screen: SearchScreen) -> [SearchChoice] {
        // What is typed next replaces selected words.
        let typed = screen.field.isSelected ? "" : screen.field.text.drop(while: \.isWhitespace).lowercased()
        var choices: [SearchChoice] = []
        if typed.isEmpty, case .home = content, let place = home.place, options.canSearch(place.source) {
            choices.append(.resume(place))
        }
        var room = lineLimit - choices.count
        func fits(_ search: String) -> Bool {
            let search = search.lowercased()
            return search.hasPrefix(typed) && search != typed
        }
        let recent = home.history.filter { options.canSearch($0.source) && !$0.isFolder }
        if case .home = content, options.archive == nil {
            let folders = home.history.lazy.filter { home in
                let names = self.label(of: home).lowercased().split { $0 == "/" }
                return home.isFolder && (typed.isEmpty || names.contains { $0.hasPrefix(typed) })
            }
            let offered = folders.prefix(min(Self.maxFolders, max(room / 2, 0)))
            choices += offered.map { .recent($0) }
            room -= offered.count
        }
        choices += recent.lazy.filter { fits($0.text) }.prefix(room).map { .recent($0) }
        if recent.isEmpty { choices += suggestions.lazy.filter(fits).prefix(room).map { .suggestion($0) } }
        if typed.isEmpty, case .home = top { choices += homePhotos.map { .photo($0) } }
        return choices
    }

    /// The words of a search, or the path of a folder.
    func label(of search: RecentSearch) -> String {
        search.isFolder ? shortened(Array(search.text.utf8)) : search.text
    }

    func chosen(of screen: SearchScreen) -> SearchChoice? {
        let choices = choices(of: screen)
        return screen.choice.flatMap { choices.indices.contains($0) ? choices[$0] : nil }
    }

    private var lineLimit: Int {
        guard case .home = content, !homePhotos.isEmpty else { return Self.maxChoices }
        let rows = textArea.rows - homeGeometry.rowsInAll - HomeView.rowsBesideChoices
        return min(max(rows, 1), Self.maxChoices)
    }

    private var suggestions: [String] {
        options.archiveHolds.map { Array($0.prefix(Self.maxSuggestions)) } ?? options.suggestions[searchSource] ?? []
    }

    private var textArea: CellArea { ListGeometry.inner(of: traits.size, sheet.margins) }
    var homeGeometry: HomeGeometry { HomeGeometry(content: textArea) }

    /// The picture of the day, then those seen last, then those that came with the program.
    ///
    /// Pictures that have left the cache are left out.
    var homePhotos: [HomePhoto] {
        guard options.showsImages else { return [] }
        func isShown(_ home: HomePhoto) -> Bool {
            options.canSearch(home.place.source) && home.photo.preview.map(images.lostPreviews.contains) == false
        }
        let offers = home.offers.filter(isShown)
        let seen = home.seenPhotos.filter(isShown)
        let today = offers.filter(\.isToday)
        var photos = today
        for home in seen + offers where !photos.contains(where: { $0.photo.thumbnail == home.photo.thumbnail }) {
            photos.append(home)
        }
        return Array(photos.prefix(homeGeometry.count))
    }

    /// Pictures at home are cropped to one size.
    func homeKey(of home: HomePhoto) -> PictureKey? {
        guard let box = homeGeometry.thumbnail, let source = home.photo.preview else { return nil }
        return PictureKey(source: source, box: box, isCropped: true)
    }

    mutating func show(_ home: HomePhoto, _ effects: inout Effects) {
        submit(home.place.search, source: home.place.source, at: .position(home.place.position), &effects)
    }

    // MARK: History

    mutating func remember(_ search: RecentSearch, _ effects: inout Effects) {
        guard options.keepsHistory, !search.text.isEmpty, home.history.first != search else { return }
        home.history.removeAll { $0 == search || $0 == RecentSearch(search.text) }
        home.history.insert(search, at: 0)
        home.history.removeLast(max(home.history.count - Self.maxHistory, 0))
        effects.append(.store(.search(search)))
    }

    mutating func savePlace(_ effects: inout Effects) {
        guard options.keepsHistory, let list, !list.isLocal, !list.photos.isEmpty else { return }
        keepSeen(of: list, &effects)
        let source = options.placeSource(list.source)
        keep(SavedPlace(search: list.search, position: list.selectedResult, source: source), &effects)
    }

    private mutating func keep(_ place: SavedPlace?, _ effects: inout Effects) {
        guard options.keepsHistory, home.place != place else { return }
        home.place = place
        effects.append(.store(.place(place)))
    }

    /// Keeps the photos of a list that were on the screen, the selected one first.
    private mutating func keepSeen(of list: PhotoList, _ effects: inout Effects) {
        let geometry = geometry
        let source = options.placeSource(list.source)
        let positions = [list.selected] + geometry.positions(from: list.topRow).filter { $0 != list.selected }
        let new = positions.compactMap { position -> HomePhoto? in
            guard let index = list.index(at: position), let key = thumbnailKey(of: list.photos[index], in: geometry),
                case .shown? = images.pictures[key]
            else { return nil }
            // A filter counts only the photos that it leaves.
            let place = SavedPlace(search: list.search, position: list.firstPosition + index, source: source)
            return HomePhoto(list.photos[index], at: place)
        }
        // The file may hold those of another run, too.
        let shown = Array(new.prefix(HomePhoto.maxSeen))
        var kept = shown
        kept += home.seenPhotos.filter { home in !kept.contains { $0.photo.thumbnail == home.photo.thumbnail } }
        kept.removeLast(max(kept.count - HomePhoto.maxSeen, 0))
        guard kept != home.seenPhotos else { return }
        home.seenPhotos = kept
        effects.append(.store(.seen(shown)))
    }
}
