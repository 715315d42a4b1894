internal import SpyglassTerminalUI

extension BrowserState {
    /// Where keys have their meaning now.
    var scope: KeyScope {
        switch top {
        case .home: .home
        case .list: geometry.isGrid ? .grid : .list
        case .detail: .detail
        case .search: .search
        case .help: .help
        case .settings: .settings
        case .alert: .alert
        case .save: .save
        }
    }

    mutating func press(_ key: Key) {
        if let character = types(key) {
            edit { $0.insert(String(character)) }
        } else if let action = KeyTable.action(for: key, in: scope) {
            perform(action)
        }
    }

    /// The character that a key types into the field that has the caret.
    ///
    /// No search begins with `?` or `,`, so that in an empty field they lead to help and settings. `q` can begin one (quasar): it leads
    /// back, or ends the program, only while a line under the field is chosen and the caret is not in it. Ctrl-C, Ctrl-D and Escape
    /// end the program from an empty field.
    private func types(_ key: Key) -> Character? {
        guard let screen = field, let character = key.typed else { return nil }
        if screen.field.text.isEmpty, character == "?" || character == "," || character == "/" { return nil }
        return character == "q" && screen.choice != nil ? nil : character
    }

    mutating func perform(_ action: Action) {
        switch action {
        case .interrupt, .quit: quit()
        case .suspend:
            keepPlace()
            want(.suspend)
        case .repaint: want(.repaint)
        case .toggleMouse:
            preferences.usesMouse.toggle()
            notice = .mouse(isOn: preferences.usesMouse)
        case .search: openSearch()
        case .help: push(.help(scroll: 0))
        case .settings: openSettings()
        case .back: back()
        default: performHere(action)
        }
    }

    private mutating func performHere(_ action: Action) {
        switch top {
        case .home(let screen), .search(let screen): perform(action, in: screen)
        case .list: performInList(action)
        case .detail(let screen): perform(action, in: screen)
        case .help(let scroll): perform(action, inHelpAt: scroll)
        case .settings(let screen): perform(action, in: screen)
        case .alert(let alert): if action == .retry { retry(alert) }
        case .save(let screen): if action == .submit { submit(screen) }
        }
    }
}
