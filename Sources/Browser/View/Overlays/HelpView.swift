internal import SpyglassTerminalUI

/// All keys, from the table that dispatches them, in groups; side by side where the screen is wide.
struct HelpView {
    let context: RenderContext
    let scroll: Int

    /// A column of keys is no wider than this, and there are so many at most.
    private static let widestColumn = 38
    private static let maxColumns = 3
    private static let gap = 2

    func draw(on canvas: inout Canvas) {
        let content = RenderContext.content(of: canvas)
        guard !content.isEmpty else { return }
        let sections = HelpSections(strings: context.strings, glyphs: canvas.glyphs).sections
        let keys = sections.flatMap(\.entries).map { canvas.clean($0.keys, columns: content.columns).width }.max() ?? 0
        let count = min(max(content.columns / Self.widestColumn, 1), Self.maxColumns)
        let width = content.columns / count
        let indent = min(keys, width / 2) + Self.gap
        let columns = Self.columns(of: sections, count: count)
        let longest = columns.map(\.count).max() ?? 0
        let first = min(max(scroll, 0), max(longest - content.rows, 0))
        for (index, lines) in columns.enumerated() {
            var place = content.inset(left: index * width)
            place.columns = min(width, place.columns)
            for (row, line) in lines.dropFirst(first).prefix(content.rows).enumerated() {
                switch line {
                case .blank: continue
                case .heading(let name):
                    canvas.put(canvas.clean(name, columns: place.columns), in: place, row: row, .title)
                case .entry(let entry):
                    var keys = place
                    keys.columns = max(min(indent - Self.gap, place.columns), 0)
                    canvas.put(canvas.clean(entry.keys, columns: keys.columns), in: keys, row: row, .key)
                    canvas.put(
                        canvas.clean(entry.label, columns: place.columns),
                        in: place.inset(left: indent, right: Self.gap), row: row)
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

    /// The sections in columns of about the same length, none of them torn.
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
    /// How far the keys can be scrolled away on the screen of a state.
    ///
    /// Where a theme's margins decide about one column more, this is the place for fewer, so that the last key is always reached.
    static func lastLine(of state: BrowserState) -> Int {
        let size = state.traits.size
        let widest = size.columns - 2 * (size.columns / 10)
        let sections = HelpSections(strings: UIStrings(state.language), glyphs: state.traits.glyphs).sections
        let count = min(max(widest / widestColumn, 1), maxColumns)
        let longest = columns(of: sections, count: count).map(\.count).max() ?? 0
        return max(longest - FrameRows.content(of: size).rows, 0)
    }
}
