internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// What stands behind the last photo that has been read: the end, that more is on its way, or why not.
struct ListEnd {
    let context: RenderContext
    let list: PhotoList
    let geometry: ListGeometry

    /// Whether there is something to say instead of more photos.
    var isAwaited: Bool { list.isAtEnd || list.nextProblem != nil || list.isLoadingNext }

    func draw(on canvas: inout Canvas) {
        guard isAwaited, let place = place else { return }
        let margin = RenderContext.margin(of: canvas)
        let area = place.inset(left: margin, right: max(margin - 1, 0))
        if let problem = list.nextProblem {
            let key = KeyHints.key(for: [.retry, .refresh], in: context.state.scope)
                .map { KeyName.text(of: $0, context.strings, canvas.glyphs) }
            var pieces = [
                Canvas.Piece(canvas.clean(context.strings.list.loadingFailed + ": ", columns: area.columns), .error),
                Canvas.Piece(canvas.clean(context.strings.text(of: problem), columns: area.columns)),
            ]
            let retry = [
                Canvas.Piece(canvas.clean("  \(key ?? "")", columns: area.columns), .key),
                Canvas.Piece(canvas.clean(" \(context.strings.actions[.retry])", columns: area.columns), .dim),
            ]
            // What to do stays to be read when the reason is long.
            let room = area.columns - pieces[0].text.width - retry.reduce(0) { $0 + $1.text.width }
            pieces[1].text = pieces[1].text.truncated(to: max(room, 0), glyphs: canvas.glyphs)
            canvas.put(pieces + retry, in: area)
            canvas.setTarget(.action(.refresh), in: area)
        } else if list.isLoadingNext {
            let spinner = canvas.isPlain ? "" : canvas.marks.spinner(at: context.state.activity.phase).string + " "
            canvas.put(canvas.clean(spinner + context.strings.list.loading, columns: area.columns), in: area, .dim)
        } else {
            let count = list.positions.upperBound
            canvas.put(
                canvas.clean(context.strings.list.end(count, context.number(count)), columns: area.columns), in: area,
                .dim)
        }
    }

    /// The row behind the photos; where that is below the screen, the gap below the last photo.
    private var place: CellArea? {
        guard !list.photos.isEmpty else { return nil }
        let last = list.positions.upperBound - 1
        let row = geometry.area.row + (geometry.row(of: last) + 1 - list.topRow) * geometry.itemRows
        let hasGap =
            geometry.isGrid
            ? geometry.itemRows > (geometry.thumbnail?.rows ?? 0) + geometry.captionRows : geometry.itemRows > 1
        for candidate in [row, hasGap ? row - 1 : row] {
            let line = CellArea(
                column: geometry.area.column, row: candidate, columns: geometry.area.columns, rows: 1)
            if candidate >= geometry.area.row, candidate < geometry.area.endRow { return line }
        }
        return nil
    }
}
