internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct HomeView {
    let context: RenderContext
    let search: SearchScreen

    private static let name: TerminalText = "Spyglass"
    private static let columns = 64
    private static let fitsName = 9

    func draw(on canvas: inout Canvas) {
        let content = RenderContext.content(of: canvas)
        var area = content
        area.columns = min(content.columns, Self.columns)
        area.column = content.column + max((content.columns - area.columns) / 2, 0)
        let field = FieldView(context: context, search: search)
        let sources = sources(columns: area.columns, on: canvas)
        if content.rows >= Self.fitsName {
            let rows = 4 + field.rows(columns: area.columns, on: canvas) + 1 + sources.count
            area = area.inset(top: max((content.rows - rows) / 3, 0))
            canvas.put(Self.name, in: area, .accent)
            let source = context.state.preferences.source
            let title = SourceRegistry.named(source)?.title ?? source
            canvas.put(cleaning: context.strings.home.tagline(title), in: area, row: 1, .dim)
            area = area.inset(top: 3)
        }
        let used = field.draw(in: area, on: &canvas)
        guard used + 1 + sources.count <= area.rows else { return }
        for (row, line) in sources.enumerated() { canvas.put(line, in: area, row: used + 1 + row) }
    }

    /// The source, or the searches of the archive unless each is offered as a choice.
    private func sources(columns: Int, on canvas: Canvas) -> [[Canvas.Piece]] {
        let state = context.state
        let choices = state.choices(of: search)
        if let holds = state.options.archiveHolds, !holds.allSatisfy({ choices.contains(.suggestion($0)) }) {
            let text = context.strings.home.archiveHolds(holds.joined(separator: ", "))
            return canvas.lines(of: text, columns: columns, limit: 3).map { [.init($0, .dim)] }
        }
        return [
            [
                .init(canvas.clean(context.strings.home.source + "  ", columns: columns), .dim),
                .init(canvas.clean(context.name(of: state.preferences.source), columns: columns), .text),
            ]
        ]
    }
}
