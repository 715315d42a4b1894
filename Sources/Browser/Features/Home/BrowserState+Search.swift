internal import SpyglassCatalog

extension BrowserState {
    var field: SearchScreen? {
        switch top {
        case .home(let screen), .search(let screen): screen
        default: nil
        }
    }

    func searchText(in source: String) -> SearchText { SearchText(filters: options.filters[source] ?? []) }

    mutating func openSearch() {
        push(.search(SearchScreen(field: TextField(list.flatMap { $0.isLocal ? nil : $0.search } ?? ""))))
    }

    mutating func paste(_ text: String) {
        notice = nil
        edit { $0.insert(text) }
    }

    /// Changes the text of the search field, of the filter, or of the panel that saves.
    mutating func edit(_ change: (inout TextField) -> Void) {
        if isFiltering { return editFilter(change) }
        if case .save(var screen) = top {
            guard var field = screen.field else { return }
            change(&field)
            screen.field = field
            replaceTop(.save(screen))
        } else if var screen = field {
            change(&screen.field)
            put(screen)
        }
    }

    mutating func perform(_ action: Action, in screen: SearchScreen) {
        switch action {
        case .up: choose(-1, in: screen)
        case .down: choose(1, in: screen)
        case .submit: submit(screen)
        case .olderSearch: recall(1, in: screen)
        case .newerSearch: recall(-1, in: screen)
        case .caretLeft where isOnPhoto(screen), .caretRight where isOnPhoto(screen):
            choosePhoto((action == .caretRight) != language.isRightToLeft ? 1 : -1, in: screen)
        // Ctrl-D in an empty field ends the program, as in a shell.
        case .deleteForward where top == .home(screen) && screen.field.text.isEmpty: quit()
        default:
            var screen = screen
            if screen.field.perform(action) { put(screen) }
        }
    }

    mutating func search(_ text: String, _ query: PhotoQuery, source: String, at start: PhotoStart) {
        endRange()
        savePlace()
        generation += 1
        let new = PhotoList(generation: generation, search: text, query: query, source: source, at: start)
        list = new
        screens = [.home(SearchScreen()), .list]
        activity.isStale = false
        opensSingleFile = false
        // The home screen may have missed them in the cache.
        forgetLostPictures()
        emit(
            .search(
                generation: generation, query, source: source, start: new.awaitedStart, revalidates: false))
    }

    mutating func remember(_ list: PhotoList) {
        let search = RecentSearch(list.search, source: options.placeSource(list.source))
        guard options.keepsHistory, !search.text.isEmpty, history.first != search else { return }
        history.removeAll { $0 == search || $0 == RecentSearch(search.text) }
        history.insert(search, at: 0)
        history.removeLast(max(history.count - Self.historyLimit, 0))
        emit(.remember(search))
    }

    /// The source that the field searches: over a list that of the list, else the chosen one.
    var searchSource: String {
        if case .home = content { return preferences.source }
        guard let list, options.sources.contains(list.source) else { return preferences.source }
        return list.source
    }

    private mutating func put(_ screen: SearchScreen) {
        if case .home = top { replaceTop(.home(screen)) } else { replaceTop(.search(screen)) }
    }

    private mutating func choose(_ step: Int, in screen: SearchScreen) {
        // The field counts as the line before the first, the pictures are the last line together.
        let choices = choices(of: screen)
        let texts = choices.count { !$0.isPhoto }
        let lines = texts + 1 + (choices.count > texts ? 1 : 0)
        let line = (min((screen.choice ?? -1) + 1, lines - 1) + step + lines) % lines
        var screen = screen
        screen.choice = line == 0 ? nil : line - 1
        put(screen)
    }

    private func isOnPhoto(_ screen: SearchScreen) -> Bool { chosen(of: screen)?.isPhoto == true }

    private mutating func choosePhoto(_ step: Int, in screen: SearchScreen) {
        let choices = choices(of: screen)
        guard let choice = screen.choice, choices.indices.contains(choice + step), choices[choice + step].isPhoto
        else { return }
        var screen = screen
        screen.choice = choice + step
        put(screen)
    }

    mutating func choose(_ choice: Int?) {
        guard var screen = field else { return }
        screen.choice = choice
        put(screen)
    }

    private mutating func recall(_ step: Int, in screen: SearchScreen) {
        // Those of the source that the field searches.
        let sources = [nil, options.placeSource(searchSource)]
        let texts = history.filter { sources.contains($0.source) && options.canSearch($0.source) }.map(\.text)
        let present = texts.firstIndex(of: screen.field.text)
        let index = (present ?? -1) + step
        guard (-1..<texts.count).contains(index) else { return }
        var screen = screen
        if present == nil { screen.draft = screen.field.text }
        screen.field = TextField(index < 0 ? screen.draft : texts[index])
        put(screen)
    }

    private mutating func submit(_ screen: SearchScreen) {
        switch chosen(of: screen) {
        case .resume(let place): submit(place.search, source: place.source, at: .position(place.position))
        case .recent(let search): submit(search.text, source: search.source)
        case .suggestion(let text): submit(text)
        case .photo(let home): show(home)
        case nil where screen.field.text.trimmed.isEmpty:
            guard case .search = top else { return submit("") }
            if options.keepsHistory, list?.isLocal == false { keep(nil) }
            list = nil
            parents = []
            emit(.cancelSearch)
            screens = [.home(SearchScreen())]
        case nil: submit(screen.field.text)
        }
    }

    mutating func submit(_ text: String, source: String? = nil, at start: PhotoStart = .first) {
        let text = text.trimmed
        let source = source.flatMap { options.sources.contains($0) ? $0 : nil } ?? searchSource
        do throws(SearchSyntaxError) {
            var query = try searchText(in: source).query(of: text)
            let safe = PhotoFilter.safeSearch
            let hasChoice = options.filters[source]?.contains(safe) == true && query[safe.name].isEmpty
            if !preferences.isSafe, hasChoice { query[safe.name] = ["off"] }
            parents = []
            search(text, query, source: source, at: start)
        } catch {
            var screen = field ?? SearchScreen()
            screen.field = TextField(text)
            screen.mistake = error
            if field == nil { push(.search(screen)) } else { put(screen) }
        }
    }
}
