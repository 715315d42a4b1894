internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// The box of an image: the image, its placeholder, or why there is none.
struct PictureBox {
    let context: RenderContext
    let photo: Photo
    var anchor = Canvas.Anchor.center
    private static let padding = 1
    /// A failure's mark and message, an empty row, and the key for another try.
    private static let rowsBesideRetry = 3

    func draw(_ picture: Picture?, in box: CellArea, on canvas: inout Canvas) {
        guard photo.preview != nil else {
            return drawText(context.formatter.placeholder(for: photo), in: box, on: &canvas)
        }
        switch picture {
        case .shown(let image, _, _, let isStale):
            canvas.put(image, in: box, anchor)
            guard isStale else { return }
            let column = min(box.endColumn, canvas.area.endColumn - 1)
            let mark = CellArea(column: column, row: box.row, columns: 1, rows: box.rows)
            canvas.put(canvas.marks[.stale], in: mark, .warning)
        case .failed where photo.mediaType == .folder:
            let isEmpty = photo.contents == FolderContents()
            let text = isEmpty ? context.strings.folders.empty : context.formatter.placeholder(for: photo)
            drawText(text, in: box, on: &canvas)
        case .failed(let failure):
            let strings = context.strings
            let text = context.state.scope == .detail ? strings.fullText(of: failure) : strings.text(of: failure)
            let hints = context.state.scope == .detail ? context.hints.hints : []
            let retry = hints.first { $0.actions == [.retry] }
            drawText(text, mark: canvas.marks[.broken], retry: retry, in: box, on: &canvas)
        case .loading, nil:
            fill(box, on: &canvas)
            canvas.put(canvas.marks[.picture], in: box, row: middle(of: box, lines: 1), .placeholder, .center)
        }
    }

    private func drawText(
        _ message: String, mark: TerminalText? = nil, retry: KeyHints.Hint? = nil, in box: CellArea,
        on canvas: inout Canvas
    ) {
        fill(box, on: &canvas)
        let inner = box.inset(left: Self.padding, right: Self.padding)
        let text = canvas.clean(message, columns: inner.columns, lines: box.rows)
        let marks = box.rows > 2 ? [mark].compactMap(\.self) : []
        let hint = box.rows > Self.rowsBesideRetry ? retry : nil
        let keys: [TerminalText] =
            hint.map { ["", canvas.clean("\($0.key) \($0.label)", columns: inner.columns)] } ?? []
        let maxLines = max(box.rows - marks.count - keys.count, 0)
        let lines = marks + text.wrapped(to: inner.columns, maxLines: maxLines, glyphs: canvas.glyphs) + keys
        let first = middle(of: box, lines: lines.count)
        if hint != nil { canvas.setTarget(.action(.retry), in: inner, row: first + lines.count - 1) }
        for (row, line) in lines.enumerated() {
            canvas.put(line, in: inner, row: first + row, .placeholder, .center)
        }
    }

    private func fill(_ box: CellArea, on canvas: inout Canvas) {
        if canvas.styles[.placeholder].background != .terminalDefault {
            canvas.fill(box, .placeholder)
        } else if canvas.styles != .plain, !canvas.isPlain {
            canvas.fill(box, with: canvas.marks[.shade], .placeholder)
        }
    }

    private func middle(of box: CellArea, lines: Int) -> Int { max((box.rows - lines) / 2, 0) }
}
