internal import SpyglassTerminalUI

struct SavePanel {
    let context: RenderContext
    let save: SaveScreen
    func draw(on canvas: inout Canvas) {
        let columns = Panel.columns(60, on: canvas)
        let lines = save.isEditing ? choices(columns, canvas) : progress(columns, canvas)
        let title = canvas.clean(context.strings.title(of: save, context.number(save.items.count)), columns: columns)
        let panel = Panel(title: title, columns: columns, lines: lines, .title, on: &canvas)
        let first = panel.draw(lines, keys: context.hints, on: &canvas)
        guard save.isEditing else { return }
        for (line, row) in save.rows.enumerated() where first + line < panel.inner.rows {
            drawField(row, in: panel.inner.inset(left: indent(columns, canvas), top: first + line), on: &canvas)
        }
    }

    /// Draws the text that can be changed over the rest of its line.
    private func drawField(_ row: SaveScreen.Row, in rest: CellArea, on canvas: inout Canvas) {
        var area = rest
        area.rows = 1
        let isChosen = save.row == row
        switch row {
        case .path: FieldLine(field: save.path, isActive: isChosen).draw(in: area, on: &canvas)
        case .size:
            let mark = save.isSizeBad ? canvas.marks[.broken].string + " " : ""
            let hint = canvas.clean("  " + mark + context.strings.save.sizeHint, columns: area.columns)
            let field = area.first(min(Self.sizeColumns, area.columns))
            FieldLine(field: save.size, isActive: isChosen).draw(in: field, on: &canvas)
            canvas.put(hint, in: area.inset(left: field.columns), save.isSizeBad ? .error : .dim)
        case .format:
            let name = save.format == .same ? context.strings.save.sameFormat : save.format.rawValue.uppercased()
            let value = canvas.clean(name, columns: area.columns)
            canvas.put(canvas.stepping(value, isChosen: isChosen), in: area)
        }
        canvas.setTarget(.saveRow(row), in: area)
    }

    private static let sizeColumns = 14

    private func choices(_ columns: Int, _ canvas: Canvas) -> [[Canvas.Piece]] {
        let strings = context.strings.save
        guard save.isFile else {
            let labels = save.purpose == .copies ? [strings.folder, strings.size, strings.format] : [strings.folder]
            return labels.map { fact($0, "", columns, canvas) }
        }
        let size =
            switch save.originalSize {
            case .asking: strings.asking
            case .known(let bytes): context.size(bytes)
            case .unknown: strings.unknown
            }
        return [fact(strings.file, "", columns, canvas), fact(strings.size, " " + size, columns, canvas)]
    }

    private func progress(_ columns: Int, _ canvas: Canvas) -> [[Canvas.Piece]] {
        guard case .saving(let progress) = save.stage else { return [] }
        let strings = context.strings.save
        let label = save.isFile ? strings.file : strings.folder
        var lines = [fact(label, save.path.text, columns, canvas)]
        var size: Int?
        if save.isFile, case .known(let bytes) = save.originalSize { size = bytes }
        let bytes = progress.bytes ?? size
        let share = bytes.map { RenderContext.share(progress.received, of: $0) }
        let count = save.items.count
        if save.isFile {
            let all = bytes.map { " / " + context.size($0) } ?? ""
            lines.append(fact(strings.saving, context.size(progress.received) + all, columns, canvas))
        } else {
            let done = "\(context.number(progress.done)) / \(context.number(count))"
            let received = progress.received > 0 ? "  " + context.size(progress.received) : ""
            lines.append(fact(strings.saving, done + received, columns, canvas))
        }
        let whole = (Double(min(max(progress.done, 0), count)) + (share ?? 0)) / Double(max(count, 1))
        if !save.isFile || share != nil { lines.append(bar(min(whole, 1), columns, canvas)) }
        return lines
    }

    private func indent(_ columns: Int, _ canvas: Canvas) -> Int {
        let strings = context.strings.save
        let labels = [strings.file, strings.folder, strings.size, strings.format, strings.saving]
        let widest = labels.map { canvas.clean($0, columns: columns).width }.max() ?? 0
        return min(widest + 2, columns / 2)
    }

    private func fact(_ label: String, _ value: String, _ columns: Int, _ canvas: Canvas) -> [Canvas.Piece] {
        let indent = indent(columns, canvas)
        let name = canvas.clean(label, columns: columns).truncated(to: indent, glyphs: canvas.glyphs).padded(to: indent)
        return [.init(name, .dim), .init(canvas.clean(value, columns: columns))]
    }

    private func bar(_ share: Double, _ columns: Int, _ canvas: Canvas) -> [Canvas.Piece] {
        let percent = " " + context.percent(Int(share * 100), of: 100)
        let room = max(columns - percent.count, 0)
        let full = Int(share * Double(room))
        func run(_ mark: TerminalText, _ count: Int) -> TerminalText {
            TerminalText(cleaning: String(repeating: mark.string, count: max(count, 0)))
        }
        let (done, left) = (run(canvas.marks[.barFull], full), run(canvas.marks[.barEmpty], room - full))
        return [.init(done, .accent), .init(left, .dim), .init(TerminalText(cleaning: percent))]
    }
}
