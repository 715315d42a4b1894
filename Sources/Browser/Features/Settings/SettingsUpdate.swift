internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// A row of the settings: its texts and its choices.
///
/// A feature declares its settings; `all` lists them.
struct Setting: Hashable, Sendable {
    private let id: String
    private let needsImages: Bool
    private let label: Text
    private let labelWithoutImages: Text
    let value: @Sendable (RenderContext) -> String
    /// Chooses the next value (1) or the previous one (-1).
    let step: @Sendable (inout Preferences, _ step: Int, BrowserOptions) -> Void

    static let all = [
        source, arrangement, density, color, pixels, animations, slideshow, theme, language, memoryLimit, diskLimit,
        safeSearch, mouse,
    ]

    /// Creates a setting of a property with these choices; a value that is none of them is followed by the first.
    init<Value: Equatable & Sendable>(
        _ id: String, _ property: any WritableKeyPath<Preferences, Value> & Sendable,
        of choices: @escaping @Sendable (BrowserOptions) -> [Value], needsImages: Bool = false,
        label: Text, withoutImages: Text? = nil,
        value: @escaping @Sendable (Value, RenderContext) -> String
    ) {
        self.id = id
        self.needsImages = needsImages
        self.label = label
        labelWithoutImages = withoutImages ?? label
        self.value = { value($0.state.preferences[keyPath: property], $0) }
        step = { preferences, step, options in
            let choices = choices(options)
            guard let first = choices.first else { return }
            let index = choices.firstIndex(of: preferences[keyPath: property])
            preferences[keyPath: property] = index.map { choices[($0 + step + choices.count) % choices.count] } ?? first
        }
    }

    func label(in state: AppState) -> String {
        (state.options.showsImages ? label : labelWithoutImages)[state.language]
    }

    /// Returns the settings that change something: none about images without them.
    static func rows(of options: BrowserOptions) -> [Setting] { all.filter { options.showsImages || !$0.needsImages } }

    static func == (one: Setting, other: Setting) -> Bool { one.id == other.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

struct SettingsScreen: Hashable, Sendable {
    var chosen = Setting.source
    /// The source before changes, which take effect when the screen is left.
    var openedWith: String?
}

extension SettingsScreen: ScreenFeature {
    static let kind = ScreenKind.cover

    func scope(in state: AppState) -> KeyScope { .settings }

    func hints(in state: AppState) -> [Action] { [.left, .right, .up, .down, .back] }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        let rows = Setting.rows(of: state.options)
        let index = rows.firstIndex(of: chosen) ?? 0
        var screen = self
        let before = state.preferences.animates
        switch action {
        case .up: screen.chosen = rows[max(index - 1, 0)]
        case .down: screen.chosen = rows[min(index + 1, rows.count - 1)]
        case .first, .pageUp: screen.chosen = rows[0]
        case .last, .pageDown: screen.chosen = rows[rows.count - 1]
        case .left: chosen.step(&state.preferences, -1, state.options)
        case .right: chosen.step(&state.preferences, 1, state.options)
        default: break
        }
        if state.preferences.animates != before { state.images.animates = state.preferences.animates }
        state.replaceTop(.settings(screen))
    }

    /// Searches again if another source was chosen.
    func close(in state: inout AppState, _ effects: inout Effects) {
        state.screens.removeLast()
        let source = state.preferences.source
        if let openedWith, openedWith != source, let list = state.list, !list.isLocal {
            state.submit(list.search, source: source, &effects)
        }
    }

    func draw(_ context: RenderContext, on canvas: inout Canvas) {
        SettingsView(context: context, settings: self).draw(on: &canvas)
    }
}

extension AppState {
    mutating func openSettings() {
        var settings = SettingsScreen(openedWith: preferences.source)
        for case .settings(let open) in screens { settings = open }
        push(.settings(settings))
    }
}

// MARK: - Settings of the whole program

extension Setting {
    static let source = Setting(
        "source", \.source, of: { $0.sources }, label: Text("Source", "Quelle", "Source", "Fuente", "ソース", "المصدر")
    ) {
        source, _ in source
    }

    static let color = Setting(
        "color", \.color, of: { _ in [nil, .truecolor, .palette256, .palette16, .monochrome] },
        label: Text("Colours", "Farben", "Couleurs", "Colores", "色", "الألوان")
    ) { depth, context in
        func name(_ depth: ColorDepth) -> String {
            switch depth {
            case .monochrome: context.strings.settings.noColor
            case .palette16: context.strings.settings.colors(16, context.number(16))
            case .palette256: context.strings.settings.colors(256, context.number(256))
            case .truecolor: context.strings.settings.colors(1 << 24, context.number(1 << 24))
            }
        }
        return depth.map(name) ?? context.automatic(name(context.state.traits.depth))
    }

    static let pixels = Setting(
        "pixels", \.pixels, of: { _ in [nil] + PixelMode.allCases }, needsImages: true,
        label: Text("Images", "Bilder", "Images", "Imágenes", "画像", "الصور")
    ) { mode, context in
        func name(_ mode: PixelMode) -> String {
            switch mode {
            case .half: context.strings.settings.halfBlocks
            case .quadrant: context.strings.settings.quadrants
            case .sextant: context.strings.settings.sextants
            case .octant: context.strings.settings.octants
            case .kitty: "kitty"
            case .iterm2: "iTerm2"
            case .sixel: "sixel"
            }
        }
        return mode.map(name) ?? context.automatic(name(context.state.traits.pixels))
    }

    static let theme = Setting(
        "theme", \.theme, of: { [nil] + $0.themes }, label: Text("Theme", "Farbschema", "Thème", "Tema", "テーマ", "السمة")
    ) { theme, context in
        func name(_ name: String) -> String {
            switch name {
            case "dark": context.strings.settings.dark
            case "light": context.strings.settings.light
            case "neutral": context.strings.settings.neutral
            default: name
            }
        }
        let state = context.state
        return theme.map(name) ?? context.automatic(name(state.theme.sheet(for: state.traits, chosen: nil).name))
    }

    static let language = Setting(
        "language", \.language, of: { _ in [nil] + Language.allCases },
        label: Text("Language", "Sprache", "Langue", "Idioma", "言語", "اللغة")
    ) { language, context in
        language?.ownName ?? context.automatic(context.state.options.language.ownName)
    }

    static let memoryLimit = Setting(
        "memoryLimit", \.memoryLimit,
        of: { _ in [nil, 32 << 20, 64 << 20, 128 << 20, 256 << 20, 512 << 20, 1 << 30] }, needsImages: true,
        label: Text(
            "Memory for images", "Speicher für Bilder", "Mémoire pour les images", "Memoria para fotos", "写真用メモリ",
            "ذاكرة الصور")
    ) { limit, context in
        limit.map(context.size) ?? context.automatic(context.state.options.automaticMemory.map(context.size))
    }

    static let diskLimit = Setting(
        "diskLimit", \.diskLimit, of: { _ in [nil, 128 << 20, 256 << 20, 512 << 20, 1 << 30, 2 << 30, 5 << 30] },
        label: Text(
            "Disk cache", "Cache auf der Platte", "Cache sur disque", "Caché en disco", "ディスクキャッシュ", "التخزين على القرص"
        )
    ) { limit, context in
        limit.map(context.size) ?? context.automatic(context.state.options.automaticDisk.map(context.size))
    }

    static let safeSearch = Setting(
        "safeSearch", \.isSafe, of: { _ in [true, false] },
        label: Text("Safe search", "Sichere Suche", "Recherche filtrée", "Búsqueda segura", "セーフサーチ", "البحث الآمن")
    ) { isSafe, context in
        isSafe ? context.strings.settings.on : context.strings.settings.off
    }

    static let mouse = Setting(
        "mouse", \.usesMouse, of: { _ in [true, false] },
        label: Text("Mouse", "Maus", "Souris", "Ratón", "マウス", "الفأرة")
    ) { usesMouse, context in
        usesMouse ? context.strings.settings.on : context.strings.settings.off
    }
}

extension RenderContext {
    /// `automatic (256 colours)`.
    fileprivate func automatic(_ value: String?) -> String {
        strings.settings.automatic + (value.map { " (\($0))" } ?? "")
    }
}

extension Language {
    fileprivate var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .french: "français"
        case .spanish: "español"
        case .japanese: "日本語"
        case .arabic: "العربية"
        }
    }
}

// MARK: - View

/// The settings with their values, one a line.
struct SettingsView {
    let context: RenderContext
    let settings: SettingsScreen

    private static let gap = 3
    private static let markColumns = 2

    func draw(on canvas: inout Canvas) {
        let content = RenderContext.content(of: canvas)
        let rows = Setting.rows(of: context.state.options)
        let labels = rows.map { canvas.clean($0.label(in: context.state), columns: content.columns) }
        let widest = min(labels.map(\.width).max() ?? 0, content.columns / 2)
        let chosen = rows.firstIndex(of: settings.chosen) ?? 0
        let first = max(min(chosen - content.rows / 2, rows.count - content.rows), 0)
        let edge = CellArea(column: 0, row: content.row, columns: canvas.area.columns, rows: content.rows)
        for (line, row) in rows.dropFirst(first).prefix(content.rows).enumerated() {
            canvas.setTarget(.setting(row), in: edge, row: line)
            let isChosen = row == settings.chosen
            if isChosen, content.column > 0 { canvas.put(canvas.marks[.selection], in: edge, row: line, .accent) }
            canvas.put(
                labels[first + line].truncated(to: widest, glyphs: canvas.glyphs), in: content, row: line,
                isChosen ? .selected : .text)
            let value = canvas.clean(row.value(context), columns: content.columns)
            let valueArea = content.inset(left: widest + Self.gap)
            let used = canvas.put(canvas.stepping(value, isChosen: isChosen), in: valueArea, row: line)
            guard isChosen, used > 2 * Self.markColumns else { continue }
            let before = canvas.isRightToLeft ? 1 : -1
            let last = valueArea.inset(left: used - Self.markColumns)
            canvas.setTarget(.step(before), in: valueArea.first(Self.markColumns), row: line)
            canvas.setTarget(.step(-before), in: last.first(Self.markColumns), row: line)
        }
    }
}
