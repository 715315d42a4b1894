internal import SpyglassTerminalUI

/// The last line of the screen while a filter is typed: its field, then the keys.
struct FilterLine {
    let context: RenderContext
    let filter: ListFilter

    private static let minColumns = 24

    func draw(in area: CellArea, row: Int, on canvas: inout Canvas) {
        canvas.fill(CellArea(row: row, columns: canvas.area.columns, rows: 1), .text)
        let used = canvas.put([.init("& ", .key)], in: area, row: row)
        var field = area.inset(left: used)
        field.columns = min(max(area.columns / 2, Self.minColumns), field.columns)
        FieldLine(field: filter.field, prompt: context.strings.list.filterPrompt).draw(in: field, row: row, on: &canvas)
        let rest = area.inset(left: used + field.columns + canvas.margins.gap)
        context.hints.draw(in: rest, row: row, on: &canvas)
    }
}
