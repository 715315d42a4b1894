internal import SpyglassCatalog
internal import SpyglassTerminalUI

extension BrowserState {
    /// Puts a screen on top; one of its kind further down goes, so that the stack cannot grow without end.
    mutating func push(_ screen: Screen) {
        screens.removeAll { other in
            switch (other, screen) {
            case (.search, .search), (.help, .help), (.settings, .settings), (.save, .save), (.alert, .alert): true
            default: false
            }
        }
        screens.append(screen)
    }

    /// Changes the screen that has the keys; `home` stays where it is.
    mutating func replaceTop(_ screen: Screen) { screens[screens.count - 1] = screen }

    /// One screen back; from the first one out.
    mutating func back() {
        switch top {
        case .home(let screen): leaveHome(screen)
        case .search(let screen) where screen.choice != nil:
            var screen = screen
            screen.choice = nil
            replaceTop(.search(screen))
        case .list: goHome(with: "")
        case .alert(let alert): leave(alert)
        case .settings(let screen):
            screens.removeLast()
            if let source = screen.openedWith, source != preferences.source, let list { submit(list.search) }
        case .save(let screen): leave(screen)
        case .search, .help, .detail: screens.removeLast()
        }
    }

    /// Home, with something in the field; the place in the list is remembered and its work ends.
    mutating func goHome(with text: String) {
        if list != nil {
            keepPlace()
            list = nil
            want(.cancelSearch)
        }
        screens = [.home(SearchScreen(field: TextField(text)))]
    }

    mutating func quit() {
        keepPlace()
        for case .save(let screen) in screens where screen.isBusy { want(.cancelSave) }
        want(.quit)
        isOver = true
    }

    /// Remembers where the user is, if there is a place worth going back to and places are kept.
    mutating func keepPlace() {
        guard options.keepsHistory, let list, !list.photos.isEmpty else { return }
        keep(SavedPlace(search: list.search, position: list.selected, source: options.placeSource(list.source)))
    }

    /// Remembers a place, or none.
    mutating func keep(_ place: SavedPlace?) {
        guard options.keepsHistory, self.place != place else { return }
        self.place = place
        want(.keepPlace(place))
    }

    /// First choice, then text, then the program: one of them at a time.
    private mutating func leaveHome(_ screen: SearchScreen) {
        guard screen.choice != nil || !screen.field.text.isEmpty else { return quit() }
        var screen = screen
        if screen.choice == nil { screen.field = TextField() }
        screen.choice = nil
        screen.mistake = nil
        replaceTop(.home(screen))
    }

    /// Keeps the screens true to the list: none without photos to show, the detail screen at the selection.
    mutating func reconcileScreens() {
        screens.removeAll { screen in
            switch screen {
            case .list: list == nil
            case .detail: list?.photos.isEmpty ?? true
            // Another search has begun: nobody answers any more.
            case .save(let screen): screen.awaited.map { $0.generation != list?.generation } ?? false
            default: false
            }
        }
        if screens.isEmpty { screens = [.home(SearchScreen())] }
        for index in screens.indices {
            if case .detail(let screen) = screens[index] { screens[index] = .detail(settled(screen)) }
        }
    }
}
