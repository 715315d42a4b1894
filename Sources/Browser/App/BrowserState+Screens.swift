internal import SpyglassCatalog

extension BrowserState {
    mutating func push(_ screen: Screen) {
        screens.removeAll { other in
            switch (other, screen) {
            case (.search, .search), (.help, .help), (.settings, .settings), (.save, .save), (.alert, .alert),
                (.info, .info):
                true
            default: false
            }
        }
        screens.append(screen)
    }

    mutating func replaceTop(_ screen: Screen) { screens[screens.count - 1] = screen }

    mutating func back() {
        switch top {
        case .home(let screen): leaveHome(screen)
        case .search(let screen) where screen.choice != nil:
            var screen = screen
            screen.choice = nil
            replaceTop(.search(screen))
        case .list where list?.rangeStart != nil: list?.rangeStart = nil
        case .list where list?.filter != nil: clearFilter()
        case .list: if !leaveFolder() { goHome(with: "") }
        case .alert(let alert): leave(alert)
        case .settings(let screen):
            screens.removeLast()
            if let source = screen.openedWith, source != preferences.source, let list, !list.isLocal {
                submit(list.search, source: preferences.source)
            }
        case .save(let screen): leave(screen)
        case .detail(let screen): leave(screen)
        case .search, .help, .info: screens.removeLast()
        }
    }

    mutating func goHome(with text: String) {
        if list != nil {
            endRange()
            savePlace()
            list = nil
            parents = []
            emit(.cancelSearch)
        }
        screens = [.home(SearchScreen(field: TextField(text)))]
    }

    mutating func quit() {
        endRange()
        savePlace()
        for case .save(let screen) in screens where screen.isBusy { emit(.cancelSave) }
        emit(.quit)
        isOver = true
    }

    mutating func savePlace() {
        guard options.keepsHistory, let list, !list.isLocal, !list.photos.isEmpty else { return }
        keepSeen(of: list)
        keep(SavedPlace(search: list.search, position: list.selectedResult, source: options.placeSource(list.source)))
    }

    mutating func keep(_ place: SavedPlace?) {
        guard options.keepsHistory, self.place != place else { return }
        self.place = place
        emit(.savePlace(place))
    }

    private mutating func leaveHome(_ screen: SearchScreen) {
        guard screen.choice != nil || !screen.field.text.isEmpty else { return quit() }
        var screen = screen
        if screen.choice == nil { screen.field = TextField() }
        screen.choice = nil
        screen.mistake = nil
        replaceTop(.home(screen))
    }

    mutating func reconcileScreens() {
        screens.removeAll { screen in
            switch screen {
            case .list: list == nil
            case .detail: list?.positions.isEmpty ?? true
            case .info(let screen): list?.photo(at: list?.selected ?? 0)?.id != screen.photoID
            default: false
            }
        }
        if screens.isEmpty { screens = [.home(SearchScreen())] }
        for index in screens.indices {
            if case .detail(let screen) = screens[index] { screens[index] = .detail(settled(screen)) }
        }
    }
}
