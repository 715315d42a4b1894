internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct PictureBox {
    let context: RenderContext
    let photo: Photo
    var isAtTop = false

    private static let padding = 1

    func draw(_ picture: Picture?, in box: CellArea, on canvas: inout Canvas) {
        guard photo.preview != nil else {
            return drawText(context.formatter.placeholder(for: photo), in: box, on: &canvas)
        }
        switch picture {
        case .shown(let image, _, _, let isStale):
            canvas.put(image, in: box, isAtTop: isAtTop)
            if isStale { drawStaleMark(in: box, on: &canvas) }
        case .failed(let failure):
            drawText(context.strings.text(of: failure), mark: canvas.marks[.broken], in: box, on: &canvas)
        case .loading, nil:
            fill(box, on: &canvas)
            canvas.put(
                canvas.marks[.picture], in: box, row: middle(of: box, lines: 1), style: style(on: canvas), .center)
        }
    }

    private func drawStaleMark(in box: CellArea, on canvas: inout Canvas) {
        let column = min(box.endColumn, canvas.area.endColumn - 1)
        let mark = CellArea(column: column, row: box.row, columns: 1, rows: box.rows)
        canvas.put(canvas.marks[.stale], in: mark, .warning)
    }

    private func drawText(_ message: String, mark: TerminalText? = nil, in box: CellArea, on canvas: inout Canvas) {
        fill(box, on: &canvas)
        let inner = box.inset(left: Self.padding, right: Self.padding)
        let text = canvas.clean(message, columns: inner.columns, lines: box.rows)
        let marks = box.rows > 2 ? [mark].compactMap(\.self) : []
        let lines =
            marks + text.wrapped(to: inner.columns, maxLines: max(box.rows - marks.count, 0), glyphs: canvas.glyphs)
        let first = middle(of: box, lines: lines.count)
        for (row, line) in lines.enumerated() {
            canvas.put(line, in: inner, row: first + row, style: style(on: canvas), .center)
        }
    }

    private func fill(_ box: CellArea, on canvas: inout Canvas) {
        let style = canvas.styles[.placeholder]
        if style.background != .terminalDefault {
            canvas.fill(box, .placeholder)
        } else if canvas.styles != .plain, !canvas.isPlain {
            canvas.fill(box, with: canvas.marks[.shade], .placeholder)
        }
    }

    private func style(on canvas: Canvas) -> CellStyle { canvas.styles[.placeholder] }

    private func middle(of box: CellArea, lines: Int) -> Int { max((box.rows - lines) / 2, 0) }
}
