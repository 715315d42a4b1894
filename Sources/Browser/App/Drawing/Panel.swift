internal import SpyglassTerminalUI

/// A box over the screen, framed by lines, or by empty columns for screen readers.
struct Panel {
    let inner: CellArea

    init(title: TerminalText, columns: Int, rows: Int, _ role: ThemeRole, on canvas: inout Canvas) {
        let screen = canvas.area
        let hasFrame = Self.hasFrame(on: screen)
        let padding = hasFrame ? canvas.margins.panel : canvas.margin
        let border = hasFrame ? 1 : 0
        let width = hasFrame ? min(columns + 2 * (padding + border), screen.columns) : screen.columns
        let free = FrameRows.areShown(on: canvas.size) ? 1 : 0
        let height = hasFrame ? min(rows + 2, screen.rows - 2) : screen.rows - 2 * free
        let top = max((screen.rows - height) / 3, free)
        let box = CellArea(
            column: (screen.columns - width) / 2, row: min(top, screen.rows - height), columns: width, rows: height)
        canvas.fill(box, .text)
        if hasFrame { Self.drawFrame(box, title: title, role, on: &canvas) }
        inner = box.inset(left: padding + border, top: border, right: padding + border, bottom: border)
    }

    init(title: TerminalText, columns: Int, lines: [[Canvas.Piece]], _ role: ThemeRole, on canvas: inout Canvas) {
        self.init(title: title, columns: columns, rows: lines.count + Self.keyRows + 2, role, on: &canvas)
    }

    private static let keyRows = 2

    /// Returns the columns of a panel's text: as many as wanted, if the screen has them.
    static func columns(_ wanted: Int, on canvas: Canvas) -> Int {
        min(wanted, max(canvas.area.columns - 2 * (canvas.margins.panel + 1), 1))
    }

    static func hasFrame(on screen: CellArea) -> Bool { screen.rows >= 12 && screen.columns >= 30 }

    private static func drawFrame(_ box: CellArea, title: TerminalText, _ role: ThemeRole, on canvas: inout Canvas) {
        let name =
            title.isEmpty ? title : " " + title.truncated(to: max(box.columns - 6, 0), glyphs: canvas.glyphs) + " "
        let titleArea = box.inset(left: 2, right: 2)
        let titleRole = role == .text ? .title : role
        guard canvas.framesPanels else {
            canvas.put(title, in: titleArea, titleRole)
            return
        }
        let isASCII = canvas.glyphs == .ascii
        let across = String(repeating: isASCII ? "-" : "─", count: max(box.columns - 2, 0))
        let upright: TerminalText = isASCII ? "|" : "│"
        let rounded: [TerminalText] = canvas.isRightToLeft ? ["╮", "╭", "╯", "╰"] : ["╭", "╮", "╰", "╯"]
        let corners = isASCII ? ["+", "+", "+", "+"] : rounded
        let last = box.rows - 1
        let line: ThemeRole = role == .error ? .error : .dim
        for (row, first) in [(0, 0), (last, 2)] {
            canvas.put(TerminalText(cleaning: across), in: box.inset(left: 1, right: 1), row: row, line)
            canvas.put(corners[first], in: box, row: row, line)
            canvas.put(corners[first + 1], in: box, row: row, line, .trailing)
        }
        for row in 1..<max(last, 1) {
            canvas.put(upright, in: box, row: row, line)
            canvas.put(upright, in: box, row: row, line, .trailing)
        }
        canvas.put(name, in: titleArea, titleRole)
    }

    private static func tightened(_ lines: [[Canvas.Piece]], rows: Int) -> [[Canvas.Piece]] {
        rows < lines.count ? lines.filter { !$0.isEmpty } : lines
    }

    /// Returns the last line to scroll to, and the number of shown lines, of a panel as large as the screen allows.
    static func scrollRange(of lines: [[Canvas.Piece]], on canvas: Canvas) -> (last: Int, page: Int) {
        let frame = hasFrame(on: canvas.area) ? 4 + keyRows : FrameRows.areShown(on: canvas.size) ? 2 : 0
        let rows = max(canvas.area.rows - frame, 1)
        return (max(tightened(lines, rows: rows).count - rows, 0), rows)
    }

    /// Leaves out empty lines first; without a frame the footer shows the keys.
    /// - Returns: the row of the first line in `inner`.
    @discardableResult
    func draw(_ lines: [[Canvas.Piece]], keys: KeyHints, scroll: Int = 0, on canvas: inout Canvas) -> Int {
        let hasFrame = Self.hasFrame(on: canvas.area)
        let rows = max(hasFrame ? inner.rows - Self.keyRows : inner.rows, 0)
        let all = Self.tightened(lines, rows: rows)
        let start = min(max(scroll, 0), max(all.count - rows, 0))
        let shown = all.dropFirst(start).prefix(rows)
        let first = hasFrame && rows > lines.count ? 1 : 0
        for (row, line) in shown.enumerated() {
            canvas.put(line, in: inner, row: first + row)
            if let target = line.lazy.compactMap(\.target).first {
                canvas.setTarget(target, in: inner, row: first + row)
            }
        }
        if all.count > rows {
            var edge = inner
            // Beside the text where the panel has a margin.
            edge.rows = rows
            edge.columns = min(inner.columns + 1, canvas.area.endColumn - inner.column)
            canvas.putScrollMarks(isMoreAbove: start > 0, isMoreBelow: start + shown.count < all.count, in: edge)
        }
        if hasFrame { keys.draw(in: inner, row: min(first + shown.count + 1, inner.rows - 1), on: &canvas) }
        return first
    }
}
