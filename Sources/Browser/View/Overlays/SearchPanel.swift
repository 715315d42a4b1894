internal import SpyglassTerminalUI

struct SearchPanel {
    let context: RenderContext
    let search: SearchScreen

    private static let columns = 64

    func draw(on canvas: inout Canvas) {
        let field = FieldView(context: context, search: search)
        let title = canvas.clean(context.strings.home.prompt, columns: Self.columns)
        let columns = min(Self.columns, canvas.area.columns)
        let panel = Panel(
            title: title, columns: Self.columns, rows: field.rows(columns: columns, on: canvas) + 1, .title, on: &canvas
        )
        let hasRoom = Panel.hasFrame(on: canvas.area)
        field.draw(in: panel.inner.inset(top: hasRoom ? 1 : 0), on: &canvas)
    }
}
