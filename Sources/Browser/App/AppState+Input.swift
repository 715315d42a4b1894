internal import SpyglassTerminalUI

extension AppState {
    mutating func press(_ key: Key, _ effects: inout Effects) {
        if let character = typedCharacter(of: key) {
            edit { $0.insert(String(character)) }
        } else if let action = KeyTable.action(for: key, in: scope) {
            perform(action, &effects)
        } else {
            endsSlideshow(nil, &effects)
        }
    }

    /// In an empty field `?`, `,` and `/` are commands; a search can begin with `q`, so it is one only outside the field.
    private func typedCharacter(of key: Key) -> Character? {
        guard let character = key.typed else { return nil }
        if isFiltering { return character }
        if case .save(let screen) = top { return screen.field == nil ? nil : character }
        guard let screen = searchField else { return nil }
        if screen.field.text.isEmpty, character == "?" || character == "," || character == "/" { return nil }
        return character == "q" && screen.choice != nil ? nil : character
    }

    /// Changes the text of the search field, of the filter, or of the panel that saves.
    mutating func edit(_ change: (inout TextField) -> Void) {
        if isFiltering { return editFilter(change) }
        if case .save(var screen) = top {
            guard var field = screen.field else { return }
            change(&field)
            screen.field = field
            replaceTop(.save(screen))
        } else if var screen = searchField {
            change(&screen.field)
            put(screen)
        }
    }

    mutating func perform(_ action: Action, _ effects: inout Effects) {
        guard options.showsImages || !action.needsImages else { return }
        switch (action, top) {
        // The key that opened a screen closes it.
        case (.help, .help), (.settings, .settings), (.info, .info): return back(&effects)
        default: break
        }
        switch action {
        case .interrupt, .quit: quit(&effects)
        case .suspend:
            savePlace(&effects)
            effects.append(.terminal(.suspend))
        case .repaint: effects.append(.terminal(.repaint))
        case .toggleMouse:
            preferences.usesMouse.toggle()
            notice = .mouse(isOn: preferences.usesMouse)
        case .toggleAnimation: toggleAnimation()
        case .search: openSearch()
        case .help: push(.help(HelpScreen()))
        case .settings: openSettings()
        case .info: openInfo(&effects)
        case .back: back(&effects)
        default: top.feature.perform(action, in: &self, &effects)
        }
    }

    /// Performs an action on the selected photo, in a list or in full.
    mutating func performOnPhoto(_ action: Action, _ effects: inout Effects) {
        guard let list, let photo = list.photo(at: list.selected) else { return }
        switch action {
        case .openPage: openPage(of: photo, &effects)
        case .openPicture: openPicture(&effects)
        case .copyAddress: copyAddress(of: photo, &effects)
        case .save: beginSaving(.originals, &effects)
        case .export: beginSaving(.copies, &effects)
        case .slideshow: startSlideshow()
        default: break
        }
    }

    // MARK: The mouse

    mutating func handle(_ event: MouseEvent, _ effects: inout Effects) {
        if event.isWheel { notice = nil }
        if scope == .slideshow {
            if event.isWheel { back(&effects) }
            return
        }
        if case .detail(let screen) = top, zoom(event, in: screen, &effects) { return }
        switch event.kind {
        case .wheelUp: top.feature.turnWheel(-1, in: &self, &effects)
        case .wheelDown: top.feature.turnWheel(1, in: &self, &effects)
        default: break
        }
    }

    /// Performs a click; its target belongs to the last frame, and the screen may have changed since.
    mutating func click(_ target: ClickTarget, _ effects: inout Effects) {
        switch (target, top) {
        case (.photo(let position), .list):
            list?.followsEnd = false
            if position == list?.selected { openDetail(&effects) } else { list?.select(position) }
        case (.field, _): choose(nil)
        case (.homePhoto(let index), .home):
            if homePhotos.indices.contains(index) { show(homePhotos[index], &effects) }
        case (.choice(let choice), .home), (.choice(let choice), .search):
            choose(choice)
            perform(.submit, &effects)
        case (.choice(let choice), .alert(let alert)): search(offer: choice, of: alert, &effects)
        case (.setting(let setting), .settings(var screen)):
            guard screen.chosen != setting else { return perform(.right, &effects) }
            screen.chosen = setting
            replaceTop(.settings(screen))
        case (.step(let step), .settings): perform(step < 0 ? .left : .right, &effects)
        case (.saveRow(let row), .save(var screen)) where screen.isEditing:
            if row == .format, screen.row == row { screen.stepFormat(1) }
            screen.row = row
            replaceTop(.save(screen))
        case (.action(let action), _): perform(action, &effects)
        case (.photo, _), (.homePhoto, _), (.choice, _), (.setting, _), (.step, _), (.saveRow, _): break
        }
    }
}

extension MouseEvent {
    var isWheel: Bool {
        switch kind {
        case .press, .release, .drag: false
        case .wheelUp, .wheelDown, .wheelLeft, .wheelRight: true
        }
    }
}
