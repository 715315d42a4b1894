internal import SpyglassTerminalUI

struct HelpView {
    let context: RenderContext
    let scroll: Int

    private static let columnWidth = 38
    private static let maxColumns = 3
    private static let gap = 2
    private static let shownKeys = 3

    func draw(on canvas: inout Canvas) {
        let content = RenderContext.content(of: canvas)
        guard !content.isEmpty else { return }
        let sections = Self.sections(
            context.strings, canvas.glyphs, isLocal: context.state.list?.isLocal == true,
            hasPictures: context.state.hasPictures)
        let keys = sections.joined().map { canvas.clean($0.keys, columns: content.columns).width }.max() ?? 0
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
                guard !line.keys.isEmpty else {
                    canvas.put(cleaning: line.label, in: area, row: row, .title)
                    continue
                }
                canvas.put(cleaning: line.keys, in: area.first(max(indent - Self.gap, 0)), row: row, .key)
                let label = canvas.clean(line.label, columns: area.columns)
                canvas.put(label, in: area.inset(left: indent, right: Self.gap), row: row)
            }
        }
        canvas.putScrollMarks(isMoreAbove: first > 0, isMoreBelow: first + content.rows < longest, in: content)
    }

    /// A key, a heading without keys, or an empty line.
    struct Line {
        var keys = ""
        var label = ""
    }

    private enum Section: Int, CaseIterable {
        case everywhere, lists, photo, field

        func contains(_ scopes: Set<KeyScope>) -> Bool {
            if scopes.count >= 4 { return self == .everywhere }
            if !scopes.isDisjoint(with: [.home, .search]) { return self == .field }
            return switch self {
            case .lists: !scopes.isDisjoint(with: [.list, .grid])
            case .photo: scopes.contains(.detail)
            case .everywhere, .field: false
            }
        }
    }

    /// The key table by the screens of its bindings, each section with a heading; some are in two.
    ///
    /// Panels name their own keys.
    static func sections(_ strings: UIStrings, _ glyphs: GlyphSet, isLocal: Bool = false, hasPictures: Bool = true)
        -> [[Line]]
    {
        let help = strings.help
        let names = [help.everywhere, help.lists, help.photo, help.field]
        return Section.allCases.map { section in
            [Line(label: names[section.rawValue])]
                + KeyTable.bindings.filter { binding in
                    !binding.isHidden && section.contains(binding.scopes)
                        && !(isLocal && KeyHints.remote.contains(binding.action))
                        && (hasPictures || !KeyHints.pictures.contains(binding.action))
                }.map { binding in
                    let keys = binding.keys.prefix(shownKeys).map { KeyName.text(of: $0, strings, glyphs) }
                    let label = KeyHints.label(of: binding.action, in: binding.scopes, strings)
                    return Line(keys: keys.joined(separator: " "), label: label)
                }
        }
    }

    private static func columns(of blocks: [[Line]], count: Int) -> [[Line]] {
        let fair = (blocks.reduce(0) { $0 + $1.count + 1 } + count - 1) / count
        var columns: [[Line]] = [[]]
        for block in blocks {
            let isFull =
                !columns[columns.count - 1].isEmpty && columns[columns.count - 1].count + block.count > fair + 2
            if isFull, columns.count < count { columns.append([]) }
            if !columns[columns.count - 1].isEmpty { columns[columns.count - 1].append(Line()) }
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
        let sections = sections(
            UIStrings(state.language), state.traits.glyphs, isLocal: state.list?.isLocal == true,
            hasPictures: state.hasPictures)
        let count = min(max(widest / columnWidth, 1), maxColumns)
        let longest = columns(of: sections, count: count).map(\.count).max() ?? 0
        return max(longest - FrameRows.content(of: size).rows, 0)
    }
}
