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

// MARK: - View

/// The key table by the screens where its keys work, in as many columns as have room for whole names.
struct HelpView {
    let context: RenderContext
    let scroll: Int

    private static let maxColumns = 3
    private static let gap = 2

    func draw(on canvas: inout Canvas) {
        let content = RenderContext.content(of: canvas)
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
                canvas.put(cleaning: line.label, in: area.inset(left: indent + Self.gap), row: row)
            }
            area = area.inset(left: column.width + Self.gap + spare)
        }
        canvas.putScrollMarks(isMoreAbove: first > 0, isMoreBelow: first + content.rows < longest, in: content)
    }

    /// The largest scroll offset.
    static func lastLine(of state: AppState) -> Int {
        let canvas = BrowserView.canvas(for: state)
        let content = RenderContext.content(of: canvas)
        let columns = columns(of: RenderContext(state), columns: content.columns, on: canvas)
        return max((columns.map(\.lines.count).max() ?? 0) - content.rows, 0)
    }

    // MARK: Lines

    /// A key, a heading without keys, or an empty line.
    struct Line {
        var keys = ""
        var label = ""
    }

    private enum Section: CaseIterable {
        case everywhere, lists, photo, settings, search, filter, save, field

        var scopes: Set<KeyScope> {
            switch self {
            case .everywhere: KeyTable.reading
            case .lists: KeyTable.photos
            case .photo: [.detail, .slideshow]
            case .settings: [.settings]
            case .search: KeyTable.searches
            case .filter: [.filter]
            case .save: [.save]
            case .field: KeyTable.fields
            }
        }

        func title(_ strings: UIStrings) -> String {
            switch self {
            case .everywhere: strings.help.everywhere
            case .lists: strings.list.heading
            case .photo: strings.detail.heading
            case .settings: strings.settings.title
            case .search: strings.home.heading
            case .filter: strings.filter.heading
            case .save: strings.save.heading
            case .field: strings.field.title
            }
        }

        /// Returns whether the section lists a binding.
        ///
        /// Keys that work everywhere, or in every field, are not repeated; each field has a name of its own for Escape.
        func contains(_ binding: KeyBinding) -> Bool {
            let common: Section? =
                if binding.scopes.isSuperset(of: Section.everywhere.scopes) {
                    .everywhere
                } else if binding.action != .back, binding.scopes.isSuperset(of: Section.field.scopes) {
                    .field
                } else {
                    nil
                }
            if let common { return self == common }
            return self != .everywhere && self != .field && !binding.scopes.isDisjoint(with: scopes)
        }
    }

    /// Returns each section with a heading; some keys are in several.
    ///
    /// Alerts name their own keys.
    static func sections(of state: AppState, _ strings: UIStrings) -> [[Line]] {
        Section.allCases.map { section in
            [Line(label: section.title(strings))]
                + KeyTable.bindings.filter { !$0.isHidden && section.contains($0) && state.offers($0.action) }.map {
                    let keys = $0.keys.map { KeyName.text(of: $0, strings, state.traits.glyphs) }
                    let scopes = $0.scopes.intersection(section.scopes)
                    let scope = KeyScope.allCases.last(where: scopes.contains) ?? .list
                    return Line(
                        keys: keys.joined(separator: " "), label: KeyHints.label(of: $0.action, in: scope, strings))
                }
        }
    }

    // MARK: Columns

    private struct Column {
        var lines: [Line]
        /// The columns of the widest keys and of all.
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

    /// Splits whole blocks into columns as short as possible.
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

// MARK: - Keys and texts

extension Action {
    static let help = Action("help", "help", "Hilfe", "aide", "ayuda", "ヘルプ", "مساعدة")
}

extension KeyTable {
    static let help = [KeyBinding(keys: [.plain("?"), Key(.function(1))], action: .help, scopes: calm)]
}

/// Texts of the help screen.
final class HelpTexts: Sendable {
    static let all = HelpTexts()

    let title = Text("Keys", "Tasten", "Touches", "Teclas", "キー", "المفاتيح")
    /// The heading of keys that work on every screen.
    let everywhere = Text("Everywhere", "Überall", "Partout", "En todas partes", "共通", "في كل مكان")
}

extension UIStrings {
    var help: Localized<HelpTexts> { Localized(texts: .all, language: language) }
}
