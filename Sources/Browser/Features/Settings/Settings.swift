package import SpyglassCatalog
package import SpyglassTerminalUI

/// The choices of the user, which are stored.
package struct Preferences: Hashable, Sendable {
    package enum Arrangement: String, Hashable, Sendable, CaseIterable {
        case list
        case grid
    }

    package var source = "nasa"
    package var arrangement = Arrangement.list
    /// An index of `ListGeometry.densities`.
    package var density = ListGeometry.defaultDensity
    package var gridColumns: Int?
    package var cropsGrid = false
    package var color: ColorDepth?
    /// Whether images are drawn by symbols, although the terminal may draw pixels.
    package var prefersSymbols = false
    /// Which animations play, until `a` stops or starts them.
    package var animates = AnimationChoice.selected
    package var slideSeconds = Self.defaultSlideSeconds
    package var theme: String?
    package var language: Language?
    /// Bytes of the caches; `nil` is the default.
    package var memoryLimit: Int?
    package var diskLimit: Int?
    /// Whether sources leave out mature results.
    package var isSafe = true
    package var usesMouse = true
    /// The folder of the last save, from the root; `nil` before the first.
    package var saveFolder: String?
    package var exportSize = "1600"
    package var exportFormat = ExportFormat.same
    package static let defaultSlideSeconds = 5

    package init() {}
}

/// A row of the settings: its texts and its choices.
///
/// A feature declares its settings; `all` lists them.
struct Setting: Hashable, Sendable {
    private let id: String
    private let needsImages: Bool
    private let label: Text
    private let labelWithoutImages: Text
    let explanation: Text
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
        of choices: @escaping @Sendable (BrowserOptions) -> [Value], needsImages: Bool = false, label: Text,
        withoutImages: Text? = nil, explanation: Text, value: @escaping @Sendable (Value, RenderContext) -> String
    ) {
        self.id = id
        self.needsImages = needsImages
        self.label = label
        labelWithoutImages = withoutImages ?? label
        self.explanation = explanation
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
    private static let gap = 3
    private static let markColumns = 2
    /// The rows from which a line explains the chosen setting.
    private static let fitsExplanation = 4

    func scope(in state: AppState) -> KeyScope { .settings }
    func hints(in state: AppState) -> [Action] { [.left, .right, .up, .down, .back] }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        let rows = Setting.rows(of: state.options)
        let index = rows.firstIndex(of: chosen) ?? 0
        var screen = self
        switch action {
        case .up: screen.chosen = rows[max(index - 1, 0)]
        case .down: screen.chosen = rows[min(index + 1, rows.count - 1)]
        case .first, .pageUp, .halfPageUp: screen.chosen = rows[0]
        case .last, .pageDown, .halfPageDown: screen.chosen = rows[rows.count - 1]
        case .left: chosen.step(&state.preferences, -1, state.options)
        case .right: chosen.step(&state.preferences, 1, state.options)
        default: break
        }
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
        var content = canvas.content
        let rows = Setting.rows(of: context.state.options)
        if content.rows > Self.fitsExplanation {
            let text = chosen.explanation[context.state.language]
            canvas.put(cleaning: text, in: content, row: min(rows.count + 1, content.rows - 1), .dim)
            content = content.inset(bottom: 2)
        }
        let labels = rows.map { canvas.clean($0.label(in: context.state), columns: content.columns) }
        let widest = min(labels.map(\.width).max() ?? 0, content.columns / 2)
        let index = rows.firstIndex(of: chosen) ?? 0
        let first = max(min(index - content.rows / 2, rows.count - content.rows), 0)
        let edge = CellArea(column: 0, row: content.row, columns: canvas.area.columns, rows: content.rows)
        for (line, row) in rows.dropFirst(first).prefix(content.rows).enumerated() {
            canvas.setTarget(.setting(row), in: edge, row: line)
            let isChosen = row == chosen
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
        "source", \.source, of: { $0.sources }, label: Text("Source", "Quelle", "Source", "Fuente", "ソース", "المصدر"),
        explanation: Text(
            "Where the next search looks for photos", "Wo die nächste Suche Fotos findet",
            "Où la prochaine recherche trouve des photos", "Dónde busca fotos la próxima búsqueda", "次の検索で写真を探す場所",
            "أين يبحث البحث التالي عن الصور")
    ) { source, _ in source }

    static let color = Setting(
        "color", \.color, of: { _ in [nil, .truecolor, .palette256, .palette16, .monochrome] },
        label: Text("Colours", "Farben", "Couleurs", "Colores", "色", "الألوان"),
        explanation: Text(
            "Fewer colours suit old terminals and slow lines",
            "Weniger Farben für alte Terminals und langsame Leitungen",
            "Moins de couleurs pour les vieux terminaux et les lignes lentes",
            "Menos colores para terminales antiguas y líneas lentas", "古い端末や遅い回線では色数を減らします",
            "ألوان أقل للطرفيات القديمة والاتصالات البطيئة")
    ) { depth, context in
        func name(_ depth: ColorDepth) -> String {
            switch depth {
            case .monochrome: context.strings("none", "keine", "aucune", "ninguno", "なし", "بلا")
            case .palette16: context.strings.settings.colors(16, context.number(16))
            case .palette256: context.strings.settings.colors(256, context.number(256))
            case .truecolor:
                context.strings(
                    "truecolor (24 bit)", "Truecolor (24 Bit)", "truecolor (24 bits)", "truecolor (24 bits)",
                    "フルカラー (24 bit)", "ألوان كاملة (24 بت)")
            }
        }
        return depth.map(name) ?? context.automatic(name(context.state.traits.depth))
    }

    static let pixels = Setting(
        "pixels", \.prefersSymbols, of: { _ in [false, true] }, needsImages: true,
        label: Text("Images", "Bilder", "Images", "Imágenes", "画像", "الصور"),
        explanation: Text(
            "Real pixels if the terminal draws them, or always block characters",
            "Echte Pixel, wenn das Terminal sie zeichnet, oder immer Blockzeichen",
            "De vrais pixels si le terminal en dessine, ou toujours des blocs",
            "Píxeles reales si la terminal los dibuja, o siempre bloques", "端末が描ける場合は画素で、または常に記号で描きます",
            "بكسلات حقيقية إن رسمتها الطرفية، أو رموز دائمًا")
    ) { prefersSymbols, context in
        func name(_ mode: PixelMode) -> String {
            switch mode {
            case .half:
                context.strings("half-blocks", "Halbblöcke", "demi-blocs", "medios bloques", "半ブロック", "أنصاف كتل")
            case .quadrant: context.strings("quadrants", "Quadranten", "quadrants", "cuadrantes", "四分割", "أرباع")
            case .sextant: context.strings("sextants", "Sextanten", "sextants", "sextantes", "六分割", "أسداس")
            case .octant: context.strings("octants", "Oktanten", "octants", "octantes", "八分割", "أثمان")
            case .kitty: "kitty"
            case .iterm2: "iTerm2"
            case .sixel: "sixel"
            }
        }
        let drawn = name(context.state.traits.pixels)
        guard prefersSymbols else { return context.automatic(drawn) }
        return context.strings("symbols", "Symbole", "symboles", "símbolos", "記号", "رموز") + " (\(drawn))"
    }

    static let theme = Setting(
        "theme", \.theme, of: { [nil] + $0.themes },
        label: Text("Theme", "Farbschema", "Thème", "Tema", "テーマ", "السمة"),
        explanation: Text(
            "Colours of text and marks; automatic follows the background",
            "Farben von Text und Zeichen; automatisch folgt dem Hintergrund",
            "Couleurs du texte et des marques ; automatique suit le fond",
            "Colores del texto y las marcas; automático sigue el fondo", "文字と印の色。自動では背景に合わせます",
            "ألوان النص والعلامات؛ التلقائي يتبع الخلفية")
    ) { theme, context in
        func name(_ name: String) -> String {
            switch name {
            case "dark": context.strings("dark", "dunkel", "sombre", "oscuro", "ダーク", "داكنة")
            case "light": context.strings("light", "hell", "clair", "claro", "ライト", "فاتحة")
            case "neutral": context.strings("neutral", "neutral", "neutre", "neutro", "標準", "محايدة")
            default: name
            }
        }
        let state = context.state
        return theme.map(name) ?? context.automatic(name(state.theme.sheet(for: state.traits, chosen: nil).name))
    }

    static let language = Setting(
        "language", \.language, of: { _ in [nil] + Language.allCases },
        label: Text("Language", "Sprache", "Langue", "Idioma", "言語", "اللغة"),
        explanation: Text(
            "Automatic follows the locale (LANG)", "Automatisch folgt der Locale (LANG)",
            "Automatique suit les paramètres régionaux (LANG)", "Automático sigue la configuración regional (LANG)",
            "自動ではロケール (LANG) に合わせます", "التلقائي يتبع الإعدادات المحلية (LANG)")
    ) { language, context in language?.ownName ?? context.automatic(context.state.options.language.ownName) }

    static let memoryLimit = Setting(
        "memoryLimit", \.memoryLimit,
        of: { _ in [nil, 32 << 20, 64 << 20, 128 << 20, 256 << 20, 512 << 20, 1 << 30] }, needsImages: true,
        label: Text(
            "Memory for images", "Speicher für Bilder", "Mémoire pour les images", "Memoria para fotos", "写真用メモリ",
            "ذاكرة الصور"),
        explanation: Text(
            "Decoded images kept for scrolling back; takes effect at the next start",
            "Dekodierte Bilder zum Zurückblättern; gilt ab dem nächsten Start",
            "Images gardées pour revenir en arrière ; au prochain démarrage",
            "Imágenes guardadas para volver atrás; desde el próximo inicio", "戻るときに使う画像の保持量。次回の起動から有効です",
            "صور محفوظة للرجوع؛ يسري عند التشغيل التالي")
    ) { limit, context in
        limit.map(context.size) ?? context.automatic(context.state.options.automaticMemory.map(context.size))
    }

    static let diskLimit = Setting(
        "diskLimit", \.diskLimit, of: { _ in [nil, 128 << 20, 256 << 20, 512 << 20, 1 << 30, 2 << 30, 5 << 30] },
        label: Text(
            "Disk cache", "Cache auf der Platte", "Cache sur disque", "Caché en disco", "ディスクキャッシュ", "التخزين على القرص"
        ),
        explanation: Text(
            "Downloads kept on disk; takes effect at the next start",
            "Heruntergeladenes auf der Platte; gilt ab dem nächsten Start",
            "Téléchargements gardés sur disque ; au prochain démarrage",
            "Descargas guardadas en disco; desde el próximo inicio", "ダウンロードの保存量。次回の起動から有効です",
            "التنزيلات المحفوظة على القرص؛ يسري عند التشغيل التالي")
    ) { limit, context in
        limit.map(context.size) ?? context.automatic(context.state.options.automaticDisk.map(context.size))
    }

    static let safeSearch = Setting(
        "safeSearch", \.isSafe, of: { _ in [true, false] },
        label: Text("Safe search", "Sichere Suche", "Recherche filtrée", "Búsqueda segura", "セーフサーチ", "البحث الآمن"),
        explanation: Text(
            "Leaves out mature photos where the source marks them",
            "Lässt Fotos weg, die die Quelle als anstößig markiert",
            "Écarte les photos que la source signale comme sensibles",
            "Omite las fotos que la fuente marca como sensibles", "ソースが成人向けとした写真を除きます",
            "يستبعد الصور التي يصفها المصدر بالحساسة")
    ) { $1.onOrOff($0) }

    static let mouse = Setting(
        "mouse", \.usesMouse, of: { _ in [true, false] },
        label: Text("Mouse", "Maus", "Souris", "Ratón", "マウス", "الفأرة"),
        explanation: Text(
            "On: click and scroll; off: select text in the terminal",
            "An: klicken und blättern; aus: Text im Terminal markieren",
            "Oui : cliquer et défiler ; non : sélectionner du texte",
            "Sí: clic y desplazamiento; no: seleccionar texto", "オン: クリックとスクロール。オフ: 文字の選択",
            "نعم: النقر والتمرير؛ لا: تحديد النص")
    ) { $1.onOrOff($0) }
}

extension RenderContext {
    fileprivate func onOrOff(_ isOn: Bool) -> String { isOn ? strings.settings.on : strings.settings.off }

    /// `automatic: truecolor (24 bit)`.
    fileprivate func automatic(_ value: String?) -> String {
        let automatic = strings("automatic", "automatisch", "automatique", "automático", "自動", "تلقائي")
        return automatic + (value.map { ": \($0)" } ?? "")
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

extension Action {
    static let settings = Action("settings", "settings", "Einstellungen", "réglages", "ajustes", "設定", "إعدادات")
}

extension KeyTable {
    static let settings =
        bind(in: calm, ([.plain(","), Key(.function(2))], .settings))
        + bind(in: [.settings], isHidden: true, ([Key(.enter)], .right))
}

final class SettingsTexts: Sendable {
    static let all = SettingsTexts()
    let title = Text("Settings", "Einstellungen", "Réglages", "Ajustes", "設定", "الإعدادات")
    let on = Text("on", "an", "oui", "sí", "オン", "نعم")
    let off = Text("off", "aus", "non", "no", "オフ", "لا")
    let colors = Counted(
        { _, written in "\(written) colours" }, { _, written in "\(written) Farben" },
        { _, written in "\(written) couleurs" }, { _, written in "\(written) colores" },
        { _, written in "\(written) 色" }, { _, written in "\(written) لونًا" })
}

extension UIStrings { var settings: Localized<SettingsTexts> { Localized(.all, language) } }
