internal import SpyglassTerminalUI

/// What failed, why, and what can be done.
struct AlertPanel {
    let scene: Scene
    let alert: Alert

    private static let columns = 60
    private static let reasonLines = 8

    func draw(on canvas: inout Canvas) {
        let columns = min(Self.columns, max(canvas.area.columns - 2 * (canvas.margins.panel + 1), 1))
        // On a small screen the reason must be seen too.
        let titleLines = Panel.hasFrame(on: canvas.area) ? 3 : 1
        let title = canvas.clean(scene.words.title(of: alert.subject), columns: columns, lines: titleLines)
            .wrapped(to: columns, maxLines: titleLines, glyphs: canvas.glyphs)
        let reason = canvas.clean(alert.reason, columns: columns, lines: Self.reasonLines)
            .wrapped(to: columns, maxLines: Self.reasonLines, glyphs: canvas.glyphs)
        var lines = title.map { [Canvas.Piece($0, .error)] } + [[]] + reason.map { [Canvas.Piece($0)] }
        if let holds = alert.archiveHolds, !holds.isEmpty {
            let text = scene.words.home.archiveHolds(holds.joined(separator: ", "))
            lines.append([])
            lines += canvas.clean(text, columns: columns, lines: 3)
                .wrapped(to: columns, maxLines: 3, glyphs: canvas.glyphs).map { [Canvas.Piece($0, .dim)] }
        }
        if Panel.hasFrame(on: canvas.area) { lines += [[], keys(on: canvas)] }
        let panel = Panel(title: "", columns: columns, rows: lines.count + 2, .error, on: &canvas)
        panel.draw(lines, on: &canvas)
    }

    private func keys(on canvas: Canvas) -> [Canvas.Piece] {
        KeyHints(state: scene.state, words: scene.words, glyphs: canvas.glyphs).pieces(on: canvas)
    }
}

extension Panel {
    /// Puts lines into the panel, an empty one above where there is room; where there is little, without those between.
    func draw(_ lines: [[Canvas.Piece]], on canvas: inout Canvas) {
        let first = Self.hasFrame(on: canvas.area) && inner.rows > lines.count ? 1 : 0
        guard inner.rows >= lines.count else {
            for (row, line) in lines.filter({ !$0.isEmpty }).prefix(inner.rows).enumerated() {
                canvas.put(line, in: inner, row: row)
            }
            return
        }
        for (row, line) in lines.enumerated() { canvas.put(line, in: inner, row: first + row) }
    }
}

extension KeyHints {
    /// All keys in one line.
    func pieces(on canvas: Canvas) -> [Canvas.Piece] {
        var pieces: [Canvas.Piece] = []
        for hint in hints {
            let columns = canvas.area.columns
            pieces.append(.init(canvas.clean((pieces.isEmpty ? "" : "   ") + hint.key, columns: columns), .key))
            pieces.append(.init(canvas.clean(" \(hint.label)", columns: columns), .dim))
        }
        return pieces
    }
}
