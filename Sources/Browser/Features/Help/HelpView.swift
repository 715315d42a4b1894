internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct HelpScreen: Hashable, Sendable {
    var scroll = 0
}

extension HelpScreen: ScreenFeature {
    static let kind = ScreenKind.cover
    func scope(in state: AppState) -> KeyScope { .help }

    func hints(in state: AppState) -> [Action] {
        HelpView.lastLine(of: state) > 0 ? [.up, .down, .pageUp, .pageDown, .back] : [.back]
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        let page = max(FrameRows.content(of: state.traits.size).rows, 1)
        let last = HelpView.lastLine(of: state)
        let line = action.scrolled(from: scroll, page: page, last: last) ?? min(scroll, last)
        state.replaceTop(.help(HelpScreen(scroll: line)))
    }

    func draw(_ context: RenderContext, on canvas: inout Canvas) {
        HelpView(context: context, scroll: scroll).draw(on: &canvas)
    }
}

/// The key table by the screens where its keys work, in as many columns as have room for whole names.
struct HelpView {
    let context: RenderContext
    let scroll: Int
    private static let maxColumns = 3
    private static let gap = 2

    func draw(on canvas: inout Canvas) {
        let content = canvas.content
        guard !content.isEmpty else { return }
        let columns = Self.columns(of: context, columns: content.columns, on: canvas)
        let longest = columns.map(\.lines.count).max() ?? 0
        let first = min(max(scroll, 0), max(longest - content.rows, 0))
        let spare = max(content.columns - Self.width(of: columns), 0) / columns.count
        var area = content
        for column in columns {
            // Several columns have room for all of their keys.
            let indent = columns.count > 1 ? column.keys : min(column.keys, area.columns / 2)
            for (row, line) in column.lines.dropFirst(first).prefix(content.rows).enumerated() {
                guard !line.keys.isEmpty else {
                    canvas.put(cleaning: line.label, in: area, row: row, .title)
                    continue
                }
                canvas.put(cleaning: line.keys, in: area.first(indent), row: row, .key)
                let area = area.inset(left: indent + Self.gap)
                let fits = canvas.clean(line.label, columns: area.columns + 1).width + Self.gap <= area.columns
                canvas.put(cleaning: fits || columns.count > 1 ? line.label : line.name, in: area, row: row)
            }
            area = area.inset(left: column.width + Self.gap + spare)
        }
        canvas.putScrollMarks(isMoreAbove: first > 0, isMoreBelow: first + content.rows < longest, in: content)
    }

    static func lastLine(of state: AppState) -> Int {
        let canvas = BrowserView.canvas(for: state)
        let content = canvas.content
        let columns = columns(of: RenderContext(state), columns: content.columns, on: canvas)
        return max((columns.map(\.lines.count).max() ?? 0) - content.rows, 0)
    }

    struct Line {
        var keys = ""
        var label = ""
        /// The short name, where a narrow screen has no room for the label.
        var name = ""
        /// `nil` for a title.
        var action: Action?
    }

    /// Returns whether a section for some scopes lists a binding.
    ///
    /// Keys that work everywhere, or in every field, are not repeated; each field has a name of its own for Escape.
    private static func lists(_ binding: KeyBinding, for scopes: Set<KeyScope>) -> Bool {
        if binding.scopes.isSuperset(of: KeyTable.reading) { return scopes == KeyTable.reading }
        let isOfFields = binding.action != .back && binding.scopes.isSuperset(of: KeyTable.fields)
        if isOfFields || scopes == KeyTable.fields { return isOfFields && scopes == KeyTable.fields }
        return scopes != KeyTable.reading && !binding.scopes.isDisjoint(with: scopes)
    }

    /// Returns the sections: that of the screen below help, the keys of every screen, the others, and at last the fields'.
    static func sections(of state: AppState, _ strings: UIStrings, isComplete: Bool = false) -> [[Line]] {
        var sections: [(title: String, scopes: Set<KeyScope>)] = [
            (strings.help.everywhere, KeyTable.reading), (strings.list.heading, KeyTable.photos),
            (strings.detail.heading, [.detail, .slideshow]), (strings.settings.title, [.settings]),
            (strings.home.heading, KeyTable.searches), (strings.filter.heading, [.filter]),
            (strings.save.heading, [.save]),
        ]
        let current = state.scopeBelowHelp
        if let index = sections.indices.last(where: { current.map(sections[$0].scopes.contains) == true }), index > 0,
            sections[index].scopes != KeyTable.reading
        {
            sections.insert(sections.remove(at: index), at: 0)
        }
        sections.append((strings.help.everyField, KeyTable.fields))
        return sections.map { title, scopes in
            let bindings = state.keys.bindings.filter {
                let isShown = !$0.isHidden || state.options.picks && $0.action == .open
                return isShown && lists($0, for: scopes) && (isComplete || state.offers($0.action))
            }
            return [Line(label: title)]
                + bindings.map { binding in
                    let keys = binding.keys.map { KeyName.text(of: $0, strings, state.traits.glyphs) }
                    let scope = KeyScope.allCases.last { binding.scopes.contains($0) && scopes.contains($0) } ?? .list
                    return Line(
                        keys: keys.joined(separator: " "),
                        label: state.pickPhrase(for: binding.action, in: scope, strings)
                            ?? phrase(for: binding.action, in: scope, strings),
                        name: KeyHints.label(of: binding.action, in: scope, strings),
                        action: binding.action)
                }
        }
    }

    /// Returns what an action does, for a reader who does not know its name in the footer.
    private static func phrase(for action: Action, in scope: KeyScope, _ strings: UIStrings) -> String {
        if [.left, .right].contains(action), [.detail, .slideshow].contains(scope) { return strings.help.stepOrPan }
        if action == .left, KeyTable.photos.contains(scope) { return strings.help.leftOrBack }
        if action == .right, KeyTable.photos.contains(scope) { return strings.help.rightOrOpen }
        if action == .back, scope == .home { return strings.home.leave }
        if [.save, .export, .copyAddress, .command, .trash].contains(action), scope == .detail {
            return strings.help.ofPhoto(action.name(in: strings))
        }
        let label = KeyHints.label(of: action, in: scope, strings)
        guard label == action.name(in: strings) else { return label }
        return HelpPhrases.all[action]?[strings.language] ?? label
    }

    private struct Column {
        var lines: [Line]
        let keys: Int
        let width: Int

        init(_ lines: [Line], on canvas: Canvas) {
            self.lines = lines
            func widest(_ texts: [String]) -> Int {
                texts.map { canvas.clean($0, columns: canvas.area.columns).width }.max() ?? 0
            }
            let named = lines.filter { !$0.keys.isEmpty }
            keys = widest(named.map(\.keys))
            width = max(
                keys + HelpView.gap + widest(named.map(\.label)), widest(lines.filter(\.keys.isEmpty).map(\.label)))
        }
    }

    private static func width(of columns: [Column]) -> Int {
        columns.reduce(0) { $0 + $1.width } + (columns.count - 1) * gap
    }

    /// Returns as many columns as fit, else one; the last keeps the edge free for the marks of scrolling.
    private static func columns(of context: RenderContext, columns: Int, on canvas: Canvas) -> [Column] {
        let sections = sections(of: context.state, context.strings)
        let all = (1...maxColumns).reversed().lazy.map { count in
            split(sections, count: count).map { Column($0, on: canvas) }
        }
        return all.first { width(of: $0) + gap <= columns } ?? split(sections, count: 1).map { Column($0, on: canvas) }
    }

    private static func split(_ blocks: [[Line]], count: Int) -> [[Line]] {
        var limit = blocks.map(\.count).max() ?? 0
        while true {
            var columns: [[Line]] = []
            for block in blocks {
                if let last = columns.last, last.count + 1 + block.count <= limit {
                    columns[columns.count - 1] += [Line()] + block
                } else {
                    columns.append(block)
                }
            }
            if columns.count <= count { return columns }
            limit += 1
        }
    }
}

extension AppState {
    /// Returns the phrase for Enter or `q` with `--pick`; `nil` for other keys and runs.
    fileprivate func pickPhrase(for action: Action, in scope: KeyScope, _ strings: UIStrings) -> String? {
        guard options.picks, KeyTable.photos.union([.detail, .slideshow]).contains(scope) else { return nil }
        return action == .open ? strings.marks.pickPhrase : action == .quit ? strings.marks.quitPhrase : nil
    }

    /// The scope of the screen that help covers, or would cover.
    fileprivate var scopeBelowHelp: KeyScope? {
        let below = screens.prefix { if case .help = $0 { false } else { true } }
        return below.last?.feature.scope(in: self)
    }
}

extension KeyMap {
    /// All keys with the names of their actions, as `keys.json` has them, for people; in English.
    package var page: String {
        var state = AppState(traits: TerminalTraits(size: .standard))
        state.keys = self
        state.screens = [.help(HelpScreen())]
        let sections = HelpView.sections(of: state, UIStrings(.english), isComplete: true)
        func column(_ text: String, _ width: Int) -> String { TerminalText(cleaning: text).padded(to: width).string }
        return sections.map { lines in
            lines.map { line in
                guard let action = line.action else { return line.label + "\n" }
                return "  " + column(line.keys, 20) + " " + column("\(action)", 17) + " \(line.label)\n"
            }.joined()
        }.joined(separator: "\n")
    }
}

extension Action {
    static let help = Action("help", "help", "Hilfe", "aide", "ayuda", "ヘルプ", "مساعدة")
}

extension KeyTable {
    static let help = bind(in: calm.union([.slideshow]), ([.plain("?"), Key(.function(1))], .help))
}

final class HelpTexts: Sendable {
    static let all = HelpTexts()
    let title = Text("Keys", "Tasten", "Touches", "Teclas", "キー", "المفاتيح")
    let everyField = Text("Every field", "Jedes Feld", "Tous les champs", "Todos los campos", "すべての欄", "كل الحقول")
    /// In Arabic the arrows have each other's meaning in a list.
    let leftOrBack = Text(
        "left; in a list, to the folder above", "nach links; in der Liste zum Ordner darüber",
        "à gauche ; dans une liste, au dossier parent", "izquierda; en la lista, a la carpeta superior",
        "左へ（一覧では上のフォルダーへ）", "يسارًا؛ وفي القائمة: فتح")
    let rightOrOpen = Text(
        "right; in a list, open", "nach rechts; in der Liste öffnen", "à droite ; dans une liste, ouvrir",
        "derecha; en la lista, abrir", "右へ（一覧では開く）", "يمينًا؛ وفي القائمة إلى المجلد الأعلى")
    /// The phrase for actions on the photo that is shown.
    let ofPhoto = Template(
        { "\($0): this photo; if it is marked, all marked ones" },
        { "\($0): dieses Foto; ist es markiert, alle markierten" },
        { "\($0) : cette photo ; si elle est marquée, toutes les marquées" },
        { "\($0): esta foto; si está marcada, todas las marcadas" }, { "\($0)：この写真（選択済みなら選択したすべて）" },
        { "\($0): هذه الصورة؛ وإن كانت معلَّمة فكل المعلَّمة" })
    /// The phrase for the arrows in one photo.
    let stepOrPan = Text(
        "previous or next photo; pan if zoomed", "nächstes oder voriges Foto; vergrößert: verschieben",
        "photo suivante ou précédente ; agrandie : déplacer", "foto siguiente o anterior; ampliada: mover",
        "前後の写真へ（拡大中は移動）", "الصورة التالية أو السابقة؛ عند التكبير: تحريك")
    let everywhere = Text("Everywhere", "Überall", "Partout", "En todas partes", "共通", "في كل مكان")
}

extension UIStrings { var help: Localized<HelpTexts> { Localized(.all, language) } }
