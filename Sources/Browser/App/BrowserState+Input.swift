internal import SpyglassTerminalUI

extension BrowserState {
    var scope: KeyScope {
        switch top {
        case .home: .home
        case .list where isFiltering: .filter
        case .list: geometry.isGrid ? .grid : .list
        case .detail(let screen): screen.slideshow == nil ? .detail : .slideshow
        case .search: .search
        case .help: .help
        case .settings: .settings
        case .alert: .alert
        case .save(let screen): screen.purpose == .originals ? .save : .export
        case .info: .info
        }
    }

    mutating func press(_ key: Key) {
        if let character = typedCharacter(of: key) {
            edit { $0.insert(String(character)) }
        } else if let action = KeyTable.action(for: key, in: scope) {
            perform(action)
        } else if scope == .slideshow {
            back()
        }
    }

    /// In an empty field `?`, `,` and `/` are commands; a search can begin with `q`, so it is one only outside the field.
    private func typedCharacter(of key: Key) -> Character? {
        guard let character = key.typed else { return nil }
        if isFiltering { return character }
        if case .save(let screen) = top { return screen.field == nil ? nil : character }
        guard let screen = field else { return nil }
        if screen.field.text.isEmpty, character == "?" || character == "," || character == "/" { return nil }
        return character == "q" && screen.choice != nil ? nil : character
    }

    mutating func perform(_ action: Action) {
        guard options.showsImages || !action.needsImages else { return }
        switch (action, top) {
        // What a key opened, it closes.
        case (.help, .help), (.settings, .settings), (.info, .info): return back()
        default: break
        }
        switch action {
        case .interrupt, .quit: quit()
        case .suspend:
            savePlace()
            emit(.suspend)
        case .repaint: emit(.repaint)
        case .toggleMouse:
            preferences.usesMouse.toggle()
            notice = .mouse(isOn: preferences.usesMouse)
        case .toggleAnimation: toggleAnimation()
        case .search: openSearch()
        case .help: push(.help(scroll: 0))
        case .settings: openSettings()
        case .info: openInfo()
        case .back: back()
        default: performHere(action)
        }
    }

    private mutating func performHere(_ action: Action) {
        switch top {
        case .home(let screen), .search(let screen): perform(action, in: screen)
        case .list: if !performInFilter(action) { performInList(action) }
        case .detail(let screen): perform(action, in: screen)
        case .help(let scroll): perform(action, inHelpAt: scroll)
        case .settings(let screen): perform(action, in: screen)
        case .alert(let alert): perform(action, in: alert)
        case .save(let screen): perform(action, in: screen)
        case .info(let screen): perform(action, in: screen)
        }
    }
}

extension BrowserState {
    mutating func handle(_ event: MouseEvent) {
        switch event.kind {
        case .press, .release, .drag: break
        case .wheelUp, .wheelDown, .wheelLeft, .wheelRight: notice = nil
        }
        if scope == .slideshow {
            switch event.kind {
            case .press, .release, .drag: return
            case .wheelUp, .wheelDown, .wheelLeft, .wheelRight: return back()
            }
        }
        if case .detail(let screen) = top, zoom(event, in: screen) { return }
        switch event.kind {
        case .wheelUp: turnWheel(-1)
        case .wheelDown: turnWheel(1)
        default: break
        }
    }

    private mutating func turnWheel(_ steps: Int) {
        let action = steps < 0 ? Action.up : .down
        switch top {
        case .list:
            let geometry = geometry
            list?.followsEnd = false
            list?.scroll(rows: steps, in: geometry)
        case .detail(let screen): turnWheel(steps, in: screen)
        case .help(let scroll): perform(action, inHelpAt: scroll)
        case .settings(let screen): perform(action, in: screen)
        case .home(let screen), .search(let screen): perform(action, in: screen)
        case .info(let screen): perform(action, in: screen)
        case .alert(let alert): perform(action, in: alert)
        case .save: break
        }
    }

    /// The target belongs to the last frame; the screen may have changed since.
    mutating func click(_ target: ClickTarget) {
        switch (target, top) {
        case (.photo(let position), .list): click(photoAt: position)
        case (.field, _): choose(nil)
        case (.homePhoto(let index), .home): if homePhotos.indices.contains(index) { show(homePhotos[index]) }
        case (.choice(let choice), .home), (.choice(let choice), .search):
            choose(choice)
            perform(.submit)
        case (.choice(let choice), .alert(let alert)): search(offer: choice, of: alert)
        case (.setting(let row), .settings(var screen)):
            guard screen.chosen != row else { return perform(.right) }
            screen.chosen = row
            replaceTop(.settings(screen))
        case (.step(let step), .settings): perform(step < 0 ? .left : .right)
        case (.saveRow(let row), .save(var screen)) where screen.isEditing:
            if row == .format, screen.row == row { screen.stepFormat(1) }
            screen.row = row
            replaceTop(.save(screen))
        case (.action(let action), _): perform(action)
        case (.photo, _), (.homePhoto, _), (.choice, _), (.setting, _), (.step, _), (.saveRow, _): break
        }
    }

    private mutating func click(photoAt position: Int) {
        list?.followsEnd = false
        if position == list?.selected { openDetail() } else { list?.select(position) }
    }
}
