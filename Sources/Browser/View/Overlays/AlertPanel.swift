internal import SpyglassTerminalUI

/// What failed, why, and what can be done.
struct AlertPanel {
    let context: RenderContext
    let alert: Alert

    private static let columns = 60
    private static let reasonLines = 8
    private static let kindLines = 2

    func draw(on canvas: inout Canvas) {
        let columns = min(Self.columns, max(canvas.area.columns - 2 * (canvas.margins.panel + 1), 1))
        // On a small screen the reason must be seen too.
        let titleLines = Panel.hasFrame(on: canvas.area) ? 3 : 1
        let title = canvas.clean(context.strings.title(of: alert.subject), columns: columns, lines: titleLines)
            .wrapped(to: columns, maxLines: titleLines, glyphs: canvas.glyphs)
        let reason = canvas.clean(ShortAddresses.text(alert.reason), columns: columns, lines: Self.reasonLines)
            .wrapped(to: columns, maxLines: Self.reasonLines, glyphs: canvas.glyphs)
        var lines = title.map { [Canvas.Piece($0, .error)] } + [[]]
        if let kind = alert.kind {
            // What it comes to first; how the network puts it is for whoever wants to know more.
            lines += canvas.clean(context.strings.problems[kind], columns: columns, lines: Self.kindLines)
                .wrapped(to: columns, maxLines: Self.kindLines, glyphs: canvas.glyphs).map { [Canvas.Piece($0)] }
        }
        lines += reason.map { [Canvas.Piece($0, alert.kind == nil ? .text : .dim)] }
        if let holds = alert.archiveHolds, !holds.isEmpty {
            let text = context.strings.home.archiveHolds(holds.joined(separator: ", "))
            lines.append([])
            lines += canvas.clean(text, columns: columns, lines: 3)
                .wrapped(to: columns, maxLines: 3, glyphs: canvas.glyphs).map { [Canvas.Piece($0, .dim)] }
        }
        let panel = Panel(title: "", columns: columns, lines: lines, .error, on: &canvas)
        panel.draw(lines, keys: context.hints, on: &canvas)
    }
}
