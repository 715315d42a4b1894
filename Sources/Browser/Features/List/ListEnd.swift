internal import SpyglassTerminalUI

struct ListEnd {
    let context: RenderContext
    let list: PhotoList
    let geometry: ListGeometry

    var isShown: Bool { list.filter != nil || list.isAtEnd || list.nextProblem != nil || list.isLoadingNext }

    func draw(on canvas: inout Canvas) {
        guard isShown, let line = line else { return }
        let margin = RenderContext.margin(of: canvas)
        let area = line.inset(left: margin, right: max(margin - 1, 0))
        if list.filter != nil {
            let left = context.number(list.positions.count)
            let loaded = context.number(list.photos.count)
            canvas.put(cleaning: context.strings.list.matches(left, loaded), in: area, .dim)
        } else if let problem = list.nextProblem {
            let key = KeyHints.key(for: [.retry, .refresh], in: context.state.scope)
                .map { KeyName.text(of: $0, context.strings, canvas.glyphs) }
            var pieces = [
                Canvas.Piece(canvas.clean(context.strings.list.loadingFailed + ": ", columns: area.columns), .error),
                Canvas.Piece(canvas.clean(context.strings.text(of: problem), columns: area.columns)),
            ]
            let retry = [
                Canvas.Piece(canvas.clean("  \(key ?? "")", columns: area.columns), .key),
                Canvas.Piece(canvas.clean(" \(context.strings.name(of: .retry))", columns: area.columns), .dim),
            ]
            // A long reason must not hide the key.
            let room = area.columns - pieces[0].text.width - retry.reduce(0) { $0 + $1.text.width }
            pieces[1].text = pieces[1].text.truncated(to: max(room, 0), glyphs: canvas.glyphs)
            canvas.put(pieces + retry, in: area)
            canvas.setTarget(.action(.refresh), in: area)
        } else if list.isLoadingNext {
            let spinner = canvas.isPlain ? "" : canvas.marks.spinner(at: context.state.activity.phase).string + " "
            canvas.put(cleaning: spinner + context.strings.list.loading, in: area, .dim)
        } else {
            let count = list.positions.upperBound
            canvas.put(
                canvas.clean(context.strings.list.end(count, context.number(count)), columns: area.columns), in: area,
                .dim)
        }
    }

    /// The row after the photos, or the gap below the last photo if that is below the screen.
    private var line: CellArea? {
        guard !list.positions.isEmpty else { return nil }
        let last = list.positions.upperBound - 1
        let row = geometry.area.row + (geometry.row(of: last) + 1 - list.topRow) * geometry.itemRows
        let hasGap =
            geometry.isGrid
            ? geometry.itemRows > (geometry.thumbnail?.rows ?? 0) + geometry.captionRows : geometry.itemRows > 1
        for candidate in [row, hasGap ? row - 1 : row] {
            let line = CellArea(column: geometry.area.column, row: candidate, columns: geometry.area.columns, rows: 1)
            if candidate >= geometry.area.row, candidate < geometry.area.endRow { return line }
        }
        return nil
    }
}
