internal import SpyglassTerminalUI

/// The keys that the footer or a panel names, with what they do now.
struct KeyHints {
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

    init(state: AppState, strings: UIStrings, glyphs: GlyphSet) {
        let scope = state.scope
        // A field takes letters as text.
        let isTyping = KeyTable.fields.contains(scope)
        let screen = state.top.feature
        var hints: [Hint] = []
        for action in screen.hints(in: state) where state.offers(action) {
            guard !hints.contains(where: { $0.actions.contains(action) }) else { continue }
            let own = screen.label(of: action, in: state, strings)
            let bindings = state.keys.bindings.filter {
                // An action that the screen labels itself is shown, even if it is hidden elsewhere.
                $0.action == action && $0.scopes.contains(scope) && (!$0.isHidden || own != nil)
            }
            let usable = bindings.flatMap(\.keys).filter { !isTyping || $0.typed == nil }
            guard let key = usable.first(where: { $0.code == .enter }) ?? usable.first else { continue }
            let part = (key: KeyName.text(of: key, strings, glyphs), action: action)
            if let last = hints.last, last.parts.count == 1,
                let label = Self.label(of: (last.parts[0].action, action), in: scope, strings)
            {
                hints[hints.count - 1] = Hint(parts: last.parts + [part], label: label)
            } else {
                let label = own ?? Self.label(of: action, in: scope, strings)
                hints.append(Hint(parts: [part], label: label))
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

    /// Some screens have a name of their own for an action: submit may be save, back may be cancel or quit.
    static func label(of action: Action, in scope: KeyScope, _ strings: UIStrings) -> String {
        switch (action, scope) {
        case (.submit, .save): Action.save.name(in: strings)
        case (.submit, .export): Action.export.name(in: strings)
        case (.back, .home): strings.app.quit
        case (.quit, .home): strings.home.quit
        case (.back, .save), (.back, .export): strings.app.cancel
        case (.submit, .filter): strings.filter.keep
        case (.back, .filter): strings.filter.clear
        case (.left, .settings), (.right, .settings): strings.app.change
        default: action.name(in: strings)
        }
    }

    /// Returns the label of two keys that the footer names together, such as `←→ change`; `nil` for other pairs.
    private static func label(of pair: (Action, Action), in scope: KeyScope, _ strings: UIStrings) -> String? {
        switch pair {
        case (.left, .right) where scope == .settings: strings.app.change
        case (.left, .right) where scope == .detail, (.up, .down) where scope == .detail: strings.zoom.pan
        case (.up, .down): [.help, .info].contains(scope) ? strings.app.scroll : strings.app.choose
        case (.pageUp, .pageDown): scope == .detail ? strings.app.scroll : strings.app.page
        case (.previousPhoto, .nextPhoto): strings.detail.photoPair
        case (.previousPicture, .nextPicture): strings.detail.picturePair
        case (.zoomOut, .zoomIn): strings.zoom.pair
        case (.rotateLeft, .rotateRight): strings.zoom.rotate
        case (.denser, .looser): strings.list.size
        default: nil
        }
    }
}

extension RenderContext {
    /// The name of an action's first key, of the present screen if it has one; Ctrl-C, which always quits, if it has none.
    func keyName(of action: Action) -> String {
        let bindings = state.keys.bindings.filter { $0.action == action }
        // Where the user has given the key that quits to another action, Ctrl-C is left.
        let binding = bindings.first { $0.scopes.contains(state.scope) } ?? (action == .quit ? nil : bindings.first)
        return KeyName.text(of: binding?.keys.first ?? .control("c"), strings, state.traits.glyphs)
    }
}

extension AppState {
    /// Whether a photo is selected in the list, not a folder.
    private var isOnPhoto: Bool { list?.wholeSelectedPhoto?.isMarkable != false }

    /// Whether footer and help name an action: photos on disk have no page, and without images none is enlarged.
    func offers(_ action: Action) -> Bool {
        switch action {
        case .openPage: list?.isLocal != true
        // The notice says so.
        case .quit: notice != .quitByKey
        case .mark where top == .list: isOnPhoto
        case .fullScreen where top == .list: isOnPhoto && options.showsImages
        case .slideshow where top == .list: hasSlides && options.showsImages
        case .changeOrder, .toggleSubfolders, .trash, .restore: list?.isLocal != false
        case .nextPicture, .previousPicture: list?.pictureCount ?? 1 > 1 && options.showsImages
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
        case .character(" "): strings.app.space
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
