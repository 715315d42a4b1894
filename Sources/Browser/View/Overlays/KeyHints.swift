internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct KeyHints {
    struct Hint {
        var key: String
        var label: String
        var action: Action
    }

    let hints: [Hint]

    /// Actions for which local photos have neither an address nor a page.
    static let remote: Set<Action> = [.save, .openPage]

    /// Actions for photos with several pictures.
    static let pictures: Set<Action> = [.nextPicture, .previousPicture]

    init(state: BrowserState, strings: UIStrings, glyphs: GlyphSet) {
        let scope = state.scope
        // A field takes letters as text.
        let isTyping = scope == .home || scope == .search
        var actions = Self.actions(in: scope, of: state)
        if case .detail(let screen) = state.top {
            if state.isBroken(screen) { actions.insert(.retry, at: 0) }
            let canZoom = state.list?.photo(at: screen.position).flatMap { state.zoomGeometry(of: $0) } != nil
            if !canZoom { actions.removeAll { $0 == .zoomIn } }
            if !state.hasPictures { actions.removeAll(where: Self.pictures.contains) }
            if state.list?.isSingle == true { actions.removeAll { [.nextPhoto, .previousPhoto].contains($0) } }
        }
        if state.list?.isLocal == true { actions.removeAll(where: Self.remote.contains) }
        var showsText = false
        if case .detail(let screen) = state.top { showsText = screen.showsText }
        hints = actions.compactMap { action in
            let keys = KeyTable.bindings.lazy
                .filter { $0.action == action && $0.scopes.contains(scope) && !$0.isHidden }
                .flatMap(\.keys)
            let usable = keys.filter { !isTyping || $0.typed == nil }
            guard let key = usable.first(where: { $0.code == .enter }) ?? usable.first else { return nil }
            let isWayBack = action == .toggleText && showsText
            return Hint(
                key: KeyName.text(of: key, strings, glyphs),
                label: isWayBack ? strings.detail.picture : Self.label(of: action, in: [scope], strings),
                action: action)
        }
    }

    func draw(in area: CellArea, row: Int = 0, on canvas: inout Canvas) {
        var rest = area
        for hint in hints {
            let key = canvas.clean(hint.key, columns: area.columns)
            // "Help help" is shown once.
            let isDoubled = hint.key.lowercased() == hint.label.lowercased()
            let label = canvas.clean(isDoubled ? "" : " \(hint.label)", columns: area.columns)
            guard key.width + label.width <= rest.columns else { return }
            let used = canvas.put([.init(key, .key), .init(label, .dim)], in: rest, row: row)
            canvas.setTarget(.action(hint.action), in: rest.first(used), row: row)
            rest = rest.inset(left: used + canvas.margins.gap + 1)
        }
    }

    /// Some screens have their own name for an action: submit may be save, back may be cancel or quit.
    static func label(of action: Action, in scopes: Set<KeyScope>, _ strings: UIStrings) -> String {
        switch action {
        case .submit where scopes == [.save]: strings.name(of: .save)
        case .back where scopes == [.home]: strings.name(of: .quit)
        case .quit where scopes == [.home]: strings.help.quitOnLine
        case .back where scopes == [.save]: strings.save.cancel
        default: strings.name(of: action)
        }
    }

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
                + (state.list?.isLocal == true ? [.changeOrder] : []) + [.help, .back]
                + (state.options.showsImages ? [.fullScreen] : []) + [
                    .looser, .denser, .settings, .save, .openPage, .info,
                ]
        case .detail where state.zoomPercent != nil:
            [.zoomToFit, .zoomIn, .zoomOut, .zoomToPixels, .nextPhoto, .previousPhoto, .nextPicture, .previousPicture]
                + [.help, .back]
        case .detail:
            [.nextPhoto, .previousPhoto, .nextPicture, .previousPicture] + layoutActions(of: state)
                + [.help, .back, .zoomIn, .save, .info, .openPage, .copyAddress, .search]
        case .search: [.submit, .down, .back]
        case .help: HelpView.lastLine(of: state) > 0 ? [.down, .pageDown, .back] : [.back]
        case .settings: [.right, .left, .down, .back]
        case .info: InfoPanel.scrollRange(of: state).last > 0 ? [.down, .pageDown, .back] : [.back]
        case .alert: if case .alert(let alert) = state.top, !alert.error.canRetry { [.back] } else { [.retry, .back] }
        case .save: if case .save(let save) = state.top, !save.isBusy { [.submit, .back] } else { [.back] }
        }
    }
}

extension BrowserState {
    /// Whether the selected photo has several pictures.
    var hasPictures: Bool { list?.pictureCount ?? 1 > 1 }
}

extension KeyHints {
    /// Full screen and text; Escape leads back from the full screen.
    private static func layoutActions(of state: BrowserState) -> [Action] {
        guard state.options.showsImages, state.fullScreen == nil else { return [] }
        return [.fullScreen, .toggleText]
    }
}

/// The name of a key as printed on keyboards: `Enter`, `Ctrl-L`, `↓`.
enum KeyName {
    static func text(of key: Key, _ strings: UIStrings, _ glyphs: GlyphSet) -> String {
        var name = name(of: key.code, strings, glyphs)
        if key.modifiers.contains(.shift) { name = "Shift-" + name }
        if key.modifiers.contains(.alt) { name = "Alt-" + name }
        if key.modifiers.contains(.control) {
            // As printed on the key; Shift is not pressed.
            if case .character = key.code { name = name.uppercased() }
            name = "Ctrl-" + name
        }
        return name
    }

    private static func name(of code: Key.Code, _ strings: UIStrings, _ glyphs: GlyphSet) -> String {
        let hasArrows = glyphs == .utf8
        return switch code {
        case .character(" "): strings.help.space
        case .character(let character): String(character)
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backspace: "Backspace"
        case .delete: "Del"
        case .insert: "Ins"
        case .up: hasArrows ? "↑" : "Up"
        case .down: hasArrows ? "↓" : "Down"
        case .left: hasArrows ? "←" : "Left"
        case .right: hasArrows ? "→" : "Right"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .function(let number): "F\(number)"
        }
    }
}
