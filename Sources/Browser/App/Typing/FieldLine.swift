internal import SpyglassTerminalUI

/// One line for typing: the text around the caret, or a prompt while it is empty.
struct FieldLine {
    let field: TextField
    var prompt = ""
    /// Whether the field has the caret.
    var isActive = true

    func draw(in area: CellArea, row: Int = 0, on canvas: inout Canvas) {
        guard (0..<area.rows).contains(row) else { return }
        var line = area
        line.row += row
        line.rows = 1
        canvas.fill(line, .field)
        canvas.setTarget(.field, in: line)
        // A column on each side for the caret.
        let inner = line.columns > 4 ? line.inset(left: 1, right: 1) : line
        guard !field.text.isEmpty else {
            if isActive { canvas.setCursor(beforeText: canvas.isRightToLeft ? inner.columns - 1 : 0, ofTextIn: inner) }
            let prompt = canvas.clean(prompt, columns: inner.columns)
            var style = canvas.styles[.field]
            style.foreground = canvas.styles[.placeholder].foreground
            style.attributes.formUnion(canvas.styles[.placeholder].attributes)
            canvas.put(prompt, in: inner, style: style)
            return
        }
        let (before, after) = window(columns: max(inner.columns - 1, 0), on: canvas)
        let text = before + after
        canvas.put(text, in: inner, .field)
        guard isActive else { return }
        canvas.setCursor(beforeText: min(before.width, inner.columns), ofTextIn: inner.first(text.width))
    }

    private func window(columns: Int, on canvas: Canvas) -> (before: TerminalText, after: TerminalText) {
        var before = field.before
        var text = TerminalText(cleaning: before).shown(in: canvas.glyphs)
        while text.width > columns, !before.isEmpty {
            // In steps, or a long text would be measured once per character.
            before.removeFirst(min(before.count, max((text.width - columns) / 2, 1)))
            text = TerminalText(cleaning: before).shown(in: canvas.glyphs)
        }
        let rest = canvas.clean(field.after, columns: columns)
        return (text, rest.width <= columns - text.width ? rest : rest.clipped(to: columns - text.width))
    }
}

extension TerminalText {
    fileprivate func clipped(to columns: Int) -> TerminalText {
        var kept = TerminalText(cleaning: "")
        for character in string {
            let longer = kept + TerminalText(cleaning: String(character))
            guard longer.width <= columns else { break }
            kept = longer
        }
        return kept
    }
}
