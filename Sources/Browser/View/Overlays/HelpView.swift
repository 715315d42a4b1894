internal import SpyglassTerminalUI

struct HelpView {
    let context: RenderContext
    let scroll: Int

    private static let columnWidth = 38
    private static let maxColumns = 3
    private static let gap = 2

    func draw(on canvas: inout Canvas) {
        let content = RenderContext.content(of: canvas)
        guard !content.isEmpty else { return }
        let sections = HelpSections(strings: context.strings, glyphs: canvas.glyphs).sections
        let keys = sections.flatMap(\.entries).map { canvas.clean($0.keys, columns: content.columns).width }.max() ?? 0
        let count = min(max(content.columns / Self.columnWidth, 1), Self.maxColumns)
        let width = content.columns / count
        let indent = min(keys, width / 2) + Self.gap
        let columns = Self.columns(of: sections, count: count)
        let longest = columns.map(\.count).max() ?? 0
        let first = min(max(scroll, 0), max(longest - content.rows, 0))
        for (index, lines) in columns.enumerated() {
            var area = content.inset(left: index * width)
            area.columns = min(width, area.columns)
            for (row, line) in lines.dropFirst(first).prefix(content.rows).enumerated() {
                switch line {
                case .blank: continue
                case .heading(let name):
                    canvas.put(cleaning: name, in: area, row: row, .title)
                case .entry(let entry):
                    var keys = area
                    keys.columns = max(min(indent - Self.gap, area.columns), 0)
                    canvas.put(cleaning: entry.keys, in: keys, row: row, .key)
                    canvas.put(
                        canvas.clean(entry.label, columns: area.columns),
                        in: area.inset(left: indent, right: Self.gap), row: row)
                }
            }
        }
        canvas.putScrollMarks(isMoreAbove: first > 0, isMoreBelow: first + content.rows < longest, in: content)
    }

    private enum Line {
        case blank
        case heading(String)
        case entry(HelpSections.Entry)
    }

    private static func columns(of sections: [HelpSections.Section], count: Int) -> [[Line]] {
        let blocks = sections.map { [Line.heading($0.name)] + $0.entries.map(Line.entry) }
        let fair = (blocks.reduce(0) { $0 + $1.count + 1 } + count - 1) / count
        var columns: [[Line]] = [[]]
        for block in blocks {
            let isFull =
                !columns[columns.count - 1].isEmpty && columns[columns.count - 1].count + block.count > fair + 2
            if isFull, columns.count < count { columns.append([]) }
            if !columns[columns.count - 1].isEmpty { columns[columns.count - 1].append(.blank) }
            columns[columns.count - 1] += block
        }
        return columns
    }
}

extension HelpView {
    /// The largest scroll offset, assuming the widest margins of a theme.
    static func lastLine(of state: BrowserState) -> Int {
        let size = state.traits.size
        let widest = size.columns - 2 * (size.columns / 10)
        let sections = HelpSections(strings: UIStrings(state.language), glyphs: state.traits.glyphs).sections
        let count = min(max(widest / columnWidth, 1), maxColumns)
        let longest = columns(of: sections, count: count).map(\.count).max() ?? 0
        return max(longest - FrameRows.content(of: size).rows, 0)
    }
}

/// The key table in sections, by the screens that its bindings belong to.
struct HelpSections {
    struct Entry {
        var keys: String
        var label: String
    }

    struct Section {
        var name: String
        var entries: [Entry]
    }

    let sections: [Section]

    /// Scopes from which on a binding is listed under "everywhere".
    private static let everywhere = 4

    private static let shownKeys = 3

    private enum Group: CaseIterable {
        case everywhere, lists, photo, field, panels
    }

    init(strings: UIStrings, glyphs: GlyphSet) {
        sections = Group.allCases.compactMap { group in
            let bindings = KeyTable.bindings.filter { !$0.isHidden && Self.group(of: $0) == group }
            guard !bindings.isEmpty else { return nil }
            let entries = bindings.map { binding in
                Entry(
                    keys: binding.keys.prefix(Self.shownKeys).map { KeyName.text(of: $0, strings, glyphs) }.joined(
                        separator: " "),
                    label: KeyHints.label(of: binding.action, in: binding.scopes, strings))
            }
            return Section(name: Self.name(of: group, strings), entries: entries)
        }
    }

    private static func group(of binding: KeyBinding) -> Group {
        let scopes = binding.scopes
        if scopes.count >= everywhere { return .everywhere }
        if !scopes.isDisjoint(with: [.home, .search]) { return .field }
        if !scopes.isDisjoint(with: [.list, .grid]) { return .lists }
        return scopes.contains(.detail) ? .photo : .panels
    }

    private static func name(of group: Group, _ strings: UIStrings) -> String {
        switch group {
        case .everywhere: strings.help.everywhere
        case .lists: strings.help.lists
        case .photo: strings.help.photo
        case .field: strings.help.field
        case .panels: strings.help.panels
        }
    }
}
