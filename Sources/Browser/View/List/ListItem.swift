internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// One photo of a list or a grid.
struct ListItem {
    let context: RenderContext
    let photo: Photo
    let geometry: ListGeometry
    let isSelected: Bool

    /// A line of text longer than this is tiring; Bringhurst's limit for a column that stands alone is 90.
    private static let maxLine = 96
    /// A photo is found beside its picture also when no mark fits into the margin.
    private static let gridMargin = 1

    /// Where the picture of an item stands; `nil` without pictures.
    static func box(in area: CellArea, _ geometry: ListGeometry, on canvas: Canvas) -> CellArea? {
        guard let thumbnail = geometry.thumbnail else { return nil }
        let before = geometry.isGrid ? min(gridMargin, area.columns - 1) : RenderContext.margin(of: canvas)
        return CellArea(
            column: area.column + before, row: area.row, columns: min(thumbnail.columns, area.columns - before),
            rows: thumbnail.rows)
    }

    func draw(in area: CellArea, on canvas: inout Canvas) {
        if geometry.isGrid {
            drawCaption(in: area, on: &canvas)
        } else if geometry.itemRows == 1, geometry.thumbnail == nil {
            ListLine(context: context, photo: photo, isSelected: isSelected).draw(in: area, on: &canvas)
        } else {
            drawBeside(in: area, on: &canvas)
        }
    }

    // MARK: Text beside the picture

    private func drawBeside(in area: CellArea, on canvas: inout Canvas) {
        let margin = RenderContext.margin(of: canvas)
        // The last row is the gap to the next photo.
        let rows = area.rows > 1 ? area.rows - 1 : area.rows
        var text = area.inset(left: margin, right: max(margin - 1, 0))
        if let box = drawPicture(in: area, on: &canvas) {
            text = text.inset(left: box.columns + canvas.margins.gap)
        }
        text.columns = min(text.columns, Self.maxLine)
        text.rows = rows
        drawText(in: text, on: &canvas)
        drawMark(rows: canvas.isPlain ? 1 : rows, in: area, on: &canvas)
    }

    private func drawText(in area: CellArea, on canvas: inout Canvas) {
        let lines = PhotoText(photo: photo, formatter: context.formatter, saysKind: saysKind)
            .lines(in: area.columns, rows: area.rows, isSelected: isSelected, on: canvas)
        for (row, line) in lines.enumerated() { canvas.put(line.text, in: area, row: row, line.role) }
    }

    /// The box says what has no picture; where there is no box, the text does.
    private var saysKind: Bool { geometry.thumbnail == nil || photo.thumbnail != nil }

    // MARK: Text below the picture

    private func drawCaption(in area: CellArea, on canvas: inout Canvas) {
        guard let box = drawPicture(in: area, on: &canvas) else { return }
        var caption = area.inset(left: box.column - area.column, top: box.rows)
        caption.columns = box.columns
        caption.rows = geometry.captionRows
        drawText(in: caption, on: &canvas)
        drawMark(rows: box.rows + geometry.captionRows, in: area, on: &canvas)
    }

    // MARK: Both

    private func drawPicture(in area: CellArea, on canvas: inout Canvas) -> CellArea? {
        guard let box = Self.box(in: area, geometry, on: canvas), let size = geometry.thumbnail else { return nil }
        PictureBox(context: context, photo: photo).draw(context.picture(of: photo, in: size), in: box, on: &canvas)
        return box
    }

    private func drawMark(rows: Int, in area: CellArea, on canvas: inout Canvas) {
        guard isSelected, RenderContext.margin(of: canvas) > 0 || geometry.isGrid, area.columns > 1 else { return }
        var column = area
        column.columns = 1
        column.rows = rows
        for row in 0..<rows { canvas.put(canvas.marks[.selection], in: column, row: row, .accent) }
    }
}
