internal import SpyglassTerminalUI

struct SavePanel {
    let context: RenderContext
    let save: SaveScreen

    private static let columns = 60

    func draw(on canvas: inout Canvas) {
        let columns = min(Self.columns, max(canvas.area.columns - 2 * (canvas.margins.panel + 1), 1))
        let strings = context.strings.save
        let parts = save.path.split(separator: "/", omittingEmptySubsequences: false)
        let file = save.awaited == nil ? parts.last.map(String.init) ?? save.path : strings.asking
        let folder = parts.dropLast().joined(separator: "/")
        var lines = [
            fact(strings.file, file, columns: columns, on: canvas),
            fact(
                strings.folder, folder.isEmpty ? (save.path.hasPrefix("/") ? "/" : ".") : folder, columns: columns,
                on: canvas),
        ]
        switch save.stage {
        case .asking: lines.append(fact(strings.size, strings.asking, columns: columns, on: canvas))
        case .ready(let bytes):
            lines.append(fact(strings.size, bytes.map(context.size) ?? strings.unknown, columns: columns, on: canvas))
        case .saving(let received, let bytes):
            let all = bytes.map { " / " + context.size($0) } ?? ""
            lines.append(fact(strings.saving, context.size(received) + all, columns: columns, on: canvas))
            if let bytes { lines.append(bar(received, of: bytes, columns: columns, on: canvas)) }
        }
        let title = canvas.clean(strings.title, columns: columns)
        let panel = Panel(title: title, columns: columns, lines: lines, .title, on: &canvas)
        panel.draw(lines, keys: context.hints, on: &canvas)
    }

    private func fact(_ label: String, _ value: String, columns: Int, on canvas: Canvas) -> [Canvas.Piece] {
        let strings = context.strings.save
        let widest =
            [strings.file, strings.folder, strings.size, strings.saving]
            .map { canvas.clean($0, columns: columns).width }.max() ?? 0
        let indent = min(widest + 2, columns / 2)
        let name = canvas.clean(label, columns: columns).truncated(to: indent, glyphs: canvas.glyphs).padded(to: indent)
        return [.init(name, .dim), .init(canvas.clean(value, columns: columns))]
    }

    private func bar(_ received: Int, of bytes: Int, columns: Int, on canvas: Canvas) -> [Canvas.Piece] {
        let percent = " " + context.percent(received, of: bytes)
        let room = max(columns - percent.count, 0)
        let full = Int(RenderContext.share(received, of: bytes) * Double(room))
        func run(_ mark: TerminalText, _ count: Int) -> TerminalText {
            TerminalText(cleaning: String(repeating: mark.string, count: max(count, 0)))
        }
        return [
            .init(run(canvas.marks[.barFull], full), .accent),
            .init(run(canvas.marks[.barEmpty], room - full), .dim),
            .init(TerminalText(cleaning: percent)),
        ]
    }
}
