internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct KeyHints {
    /// A key or a pair of keys with the label of what they do.
    struct Hint {
        var parts: [(key: String, action: Action)]
        var label: String

        var actions: [Action] { parts.map(\.action) }

        /// `←→`, `p n`: letters have a space between them.
        var key: String {
            let keys = parts.map(\.key)
            return keys.joined(separator: keys.allSatisfy { $0.count == 1 && $0.first?.isLetter == false } ? "" : " ")
        }
    }

    let hints: [Hint]

    init(state: BrowserState, strings: UIStrings, glyphs: GlyphSet) {
        let scope = state.scope
        // A field takes letters as text.
        let isTyping = KeyTable.fields.contains(scope)
        var actions = Self.actions(in: scope, of: state).filter(state.offers)
        if case .detail(let screen) = state.top, screen.slideshow == nil {
            if state.isBroken(screen) { actions.insert(.retry, at: 0) }
            let canZoom = state.list?.photo(at: screen.position).flatMap { state.zoomGeometry(of: $0) } != nil
            if !canZoom { actions.removeAll { $0 == .zoomIn } }
            if state.list?.isSingle == true { actions.removeAll { [.nextPhoto, .previousPhoto].contains($0) } }
        }
        var hints: [Hint] = []
        for action in actions {
            let keys = KeyTable.bindings.lazy
                .filter { $0.action == action && $0.scopes.contains(scope) && !$0.isHidden }
                .flatMap(\.keys)
            let usable = keys.filter { !isTyping || $0.typed == nil }
            guard let key = usable.first(where: { $0.code == .enter }) ?? usable.first else { continue }
            let part = (key: KeyName.text(of: key, strings, glyphs), action: action)
            if let last = hints.last, last.parts.count == 1,
                let pair = ActionPair(last.parts[0].action, action, in: scope)
            {
                hints[hints.count - 1] = Hint(parts: last.parts + [part], label: strings.pairs[pair] ?? "")
            } else {
                hints.append(Hint(parts: [part], label: Self.label(of: action, in: state, strings)))
            }
        }
        self.hints = hints
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
            // The label does what the last key does.
            if let last = hint.parts.last { canvas.setTarget(.action(last.action), in: rest.first(used), row: row) }
            if hint.parts.count > 1 {
                let first = canvas.clean(hint.parts[0].key, columns: area.columns)
                canvas.setTarget(.action(hint.parts[0].action), in: rest.first(first.width), row: row)
            }
            rest = rest.inset(left: used + canvas.margins.gap + 1)
        }
    }

    /// What an action would do now.
    private static func label(of action: Action, in state: BrowserState, _ strings: UIStrings) -> String {
        switch (action, state.top) {
        case (.toggleText, .detail(let screen)) where screen.showsText: strings.detail.picture
        case (.submit, .home(let search)), (.submit, .search(let search)):
            if search.choice != nil {
                strings.name(of: .open)
            } else if !search.field.text.trimmed.isEmpty {
                strings.name(of: .submit)
            } else {
                state.scope == .home ? strings.home.showAll : strings.home.start
            }
        // Escape clears a filter first.
        case (.markRange, .list) where state.list?.rangeStart != nil: strings.list.endRange
        case (.back, .list) where state.list?.rangeStart != nil: strings.save.cancel
        case (.pauseSlideshow, .detail(let screen)) where screen.slideshow?.isPaused == true: strings.detail.resume
        case (.back, .list) where state.list?.filter != nil: label(of: action, in: .filter, strings)
        case (.submit, .alert(let alert)): strings.name(of: alert.choice == nil ? .retry : .open)
        default: label(of: action, in: state.scope, strings)
        }
    }

    /// Some screens have their own name for an action: submit may be save, back may be cancel or quit.
    static func label(of action: Action, in scope: KeyScope, _ strings: UIStrings) -> String {
        switch (action, scope) {
        case (.submit, .save): strings.name(of: .save)
        case (.submit, .export): strings.name(of: .export)
        case (.back, .home): strings.name(of: .quit)
        case (.quit, .home): strings.help.quitOnLine
        case (.back, .save), (.back, .export): strings.save.cancel
        case (.submit, .filter): strings.list.keepFilter
        case (.back, .filter): strings.list.clearFilter
        case (.back, .slideshow): strings.detail.endSlideshow
        case (.left, .settings), (.right, .settings): strings.pairs[.change] ?? ""
        default: strings.name(of: action)
        }
    }

    static func key(for actions: [Action], in scope: KeyScope) -> Key? {
        actions.lazy.compactMap { action in
            KeyTable.bindings.first { $0.action == action && $0.scopes.contains(scope) }?.keys.first
        }.first
    }

    private static func actions(in scope: KeyScope, of state: BrowserState) -> [Action] {
        let isEmpty = state.list?.positions.isEmpty ?? true
        return switch scope {
        case .home: [.submit, .up, .down, .help, .settings, .back]
        case .list where state.list?.rangeStart != nil, .grid where state.list?.rangeStart != nil:
            [.markRange, .back, .save, .export, .up, .down, .help]
        case .list where isEmpty, .grid where isEmpty: [.search, .refresh, .help, .back, .settings]
        case .list where state.hasMarks, .grid where state.hasMarks:
            [.mark, .save, .export, .back, .help, .unmark, .markRange, .invertMarks, .open]
        case .list, .grid:
            [
                .open, .search, .toggleArrangement, .changeOrder, .help, .back, .mark, .fullScreen, .filter,
                .toggleCropping, .denser, .looser, .slideshow, .settings, .save, .export, .openPicture, .openPage,
                .info,
            ]
        case .detail where state.zoomPercent != nil:
            [.zoomToFit, .zoomOut, .zoomIn, .zoomToPixels, .previousPhoto, .nextPhoto, .previousPicture, .nextPicture]
                + [.help, .back]
        case .detail:
            [.previousPhoto, .nextPhoto, .previousPicture, .nextPicture]
                // Escape leads back from the full screen.
                + (state.fullScreen == nil ? [.fullScreen, .toggleText] : [])
                + [
                    .help, .back, .zoomIn, .slideshow, .save, .export, .info, .openPicture, .openPage, .copyAddress,
                    .search,
                ]
        case .search: [.submit, .up, .down, .back]
        case .filter: [.submit, .back]
        case .slideshow: [.pauseSlideshow, .back, .previousPhoto, .nextPhoto]
        case .help: HelpView.lastLine(of: state) > 0 ? [.up, .down, .pageUp, .pageDown, .back] : [.back]
        case .settings: [.left, .right, .up, .down, .back]
        case .info: InfoPanel.scrollRange(of: state).last > 0 ? [.up, .down, .pageUp, .pageDown, .back] : [.back]
        case .alert: if case .alert(let alert) = state.top { actions(of: alert) } else { [.back] }
        case .save: if case .save(let save) = state.top, save.isEditing { [.submit, .back] } else { [.back] }
        case .export:
            if case .save(let save) = state.top, save.isEditing { [.submit, .up, .down, .back] } else { [.back] }
        }
    }
}

extension KeyHints {
    private static func actions(of alert: Alert) -> [Action] {
        let isChosen = alert.choice != nil
        return (isChosen || alert.error.canRetry ? [.submit] : []) + (alert.offers.isEmpty ? [] : [.up, .down])
            + (isChosen && alert.error.canRetry ? [.retry] : []) + [.back]
    }
}

extension BrowserState {
    /// Whether the selected photo has several pictures.
    var hasPictures: Bool { list?.pictureCount ?? 1 > 1 }

    /// Whether footer and help name an action: photos on disk have no page, and without images there are none to enlarge.
    func offers(_ action: Action) -> Bool {
        switch action {
        case .openPage: list?.isLocal != true
        case .mark where top == .list: list.flatMap { $0.wholePhoto(at: $0.selected) }?.isMarkable != false
        case .changeOrder: list?.isLocal != false
        case .nextPicture, .previousPicture: hasPictures && options.showsImages
        default: options.showsImages || !action.needsImages
        }
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
