internal import SpyglassTerminalUI

/// The few keys that matter on a screen, from the key table, the most important first.
struct KeyHints {
    struct Hint {
        var key: String
        var label: String
        var action: Action
    }

    let hints: [Hint]

    init(state: BrowserState, strings: UIStrings, glyphs: GlyphSet) {
        let scope = state.scope
        // In a field a letter is typed; only another key does something there.
        let isTyping = scope == .home || scope == .search
        hints = Self.actions(in: scope, of: state).compactMap { action in
            let keys = KeyTable.bindings.lazy
                .filter { $0.action == action && $0.scopes.contains(scope) && !$0.isHidden }
                .flatMap(\.keys)
            let usable = keys.filter { !isTyping || !$0.isTyped }
            guard let key = usable.first(where: { $0.code == .enter }) ?? usable.first else { return nil }
            return Hint(
                key: KeyName.text(of: key, strings, glyphs), label: Self.label(of: action, in: [scope], strings),
                action: action)
        }
    }

    /// Puts as many as fit into a row; a click on one is the key.
    func draw(in area: CellArea, row: Int = 0, on canvas: inout Canvas) {
        var rest = area
        for hint in hints {
            let key = canvas.clean(hint.key, columns: area.columns)
            // A key that is called what it does is said once.
            let isDoubled = hint.key.lowercased() == hint.label.lowercased()
            let label = canvas.clean(isDoubled ? "" : " \(hint.label)", columns: area.columns)
            guard key.width + label.width <= rest.columns else { return }
            let used = canvas.put([.init(key, .key), .init(label, .dim)], in: rest, row: row)
            canvas.setTarget(.action(hint.action), in: rest.first(used), row: row)
            rest = rest.inset(left: used + canvas.margins.gap + 1)
        }
    }

    /// What an action is called where it is done: what is submitted is a search, or a file to be saved, which is not saved when it is
    /// left, and behind the first screen there is none.
    static func label(of action: Action, in scopes: Set<KeyScope>, _ strings: UIStrings) -> String {
        switch action {
        case .submit where scopes == [.save]: strings.actions[.save]
        case .back where scopes == [.home]: strings.actions[.quit]
        case .quit where scopes == [.home]: strings.help.quitOnLine
        case .back where scopes == [.save]: strings.save.cancel
        default: strings.actions[action]
        }
    }

    /// The key that does something in a list.
    static func key(for actions: [Action], in scope: KeyScope) -> Key? {
        actions.lazy.compactMap { action in
            KeyTable.bindings.first { $0.action == action && $0.scopes.contains(scope) }?.keys.first
        }.first
    }

    private static func actions(in scope: KeyScope, of state: BrowserState) -> [Action] {
        let isEmpty = state.list?.photos.isEmpty ?? true
        return switch scope {
        case .home: [.submit, .down, .help, .settings, .back]
        case .list where isEmpty, .grid where isEmpty: [.search, .refresh, .help, .back, .settings]
        case .list, .grid:
            [.open, .search] + (state.options.showsImages ? [.toggleArrangement] : [])
                + [.help, .back, .looser, .denser, .settings, .save, .openPage]
        case .detail: [.nextPhoto, .previousPhoto, .save, .openPage, .help, .back, .copyAddress, .search]
        case .search: [.submit, .down, .back]
        case .help: HelpView.lastLine(of: state) > 0 ? [.down, .pageDown, .back] : [.back]
        case .settings: [.right, .left, .down, .back]
        case .alert: state.canRetry ? [.retry, .back] : [.back]
        case .save: state.isReadyToSave ? [.submit, .back] : [.back]
        }
    }
}

extension BrowserState {
    fileprivate var isReadyToSave: Bool {
        guard case .save(let save) = top, case .ready = save.stage else { return false }
        return true
    }

    fileprivate var canRetry: Bool {
        guard case .alert(let alert) = top else { return true }
        return alert.canRetry
    }
}
