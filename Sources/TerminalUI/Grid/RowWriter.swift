/// Writes the differences between the wanted cells and those on the screen, and tracks the pen and the cursor.
struct RowWriter {
    private let wanted: BackBuffer
    private let usesColor: Bool
    /// Whether a row may be cleared to its end: xterm keeps the pixels of a sixel there, and shows them after a scroll.
    private let clearsRows: Bool
    private let columns: Int
    /// The cells on the screen.
    private(set) var shown: [Cell]
    private(set) var bytes: [UInt8]
    /// Pictures with written cells: inline ones must be drawn again.
    private(set) var placements: [Placement] = []
    private var pen = Pen.plain
    private var row = -1
    /// The cursor's column; `nil` if terminals disagree.
    private var column: Int?
    /// The shortest run of blanks that clearing to the end of the row does not make longer.
    private static let minErasure = 4

    /// Continues bytes that leave the pen plain.
    init(_ wanted: BackBuffer, over shown: [Cell], usesColor: Bool, clearsRows: Bool, after bytes: [UInt8]) {
        self.wanted = wanted
        self.shown = shown
        self.usesColor = usesColor
        self.clearsRows = clearsRows
        self.bytes = bytes
        columns = wanted.columns
    }

    mutating func write(_ row: Int) {
        let cells = row * columns..<(row + 1) * columns
        guard var at = cells.first(where: { shown[$0] != wanted.cells[$0] }) else { return }
        while at > cells.lowerBound, wanted.cells[at].isContinuation { at -= 1 }
        var blankFrom = cells.upperBound
        while blankFrom > at, wanted.cells[blankFrom - 1] == .blank { blankFrom -= 1 }
        // The end of the cells that a character may have overwritten.
        var damageEnd = 0
        while at < cells.upperBound {
            var end = at + 1
            while end < cells.upperBound, wanted.cells[end].isContinuation { end += 1 }
            defer { at = end }
            if at >= damageEnd, (at..<end).allSatisfy({ shown[$0] == wanted.cells[$0] }) { continue }
            if at >= blankFrom, clearsRows, erase(cells, from: at, damageEnd) { return }
            let cell = wanted.cells[at]
            move(toRow: row, at - cells.lowerBound)
            if cell.isPlaced {
                putPlaced(cell, at - cells.lowerBound)
                column = end - cells.lowerBound
            } else {
                damageEnd = max(damageEnd, put(cell, at..<end))
            }
            for index in at..<end { shown[index] = wanted.cells[index] }
        }
    }

    mutating func reset() {
        guard pen != .plain else { return }
        bytes.append(SGR.reset)
        pen = .plain
    }

    /// Clears to the end of the row, if the rest is blank and that is shorter than spaces.
    private mutating func erase(_ cells: Range<Int>, from start: Int, _ damageEnd: Int) -> Bool {
        var end = cells.upperBound
        while end > max(start, damageEnd), shown[end - 1] == .blank { end -= 1 }
        guard end - start >= Self.minErasure else { return false }
        move(toRow: cells.lowerBound / columns, start - cells.lowerBound)
        // Terminals clear with different backgrounds (bce), but agree on the default.
        pen.reset(&bytes)
        bytes.append("\u{1B}[K" as StaticString)
        for at in start..<end { shown[at] = .blank }
        return true
    }

    /// Writes a character, and returns the end of the cells that it may have overwritten.
    private mutating func put(_ cell: Cell, _ cells: Range<Int>) -> Int {
        if usesColor { pen.change(for: cell, to: &bytes) }
        let grapheme = cell.isGrapheme ? wanted.graphemes[cell.graphemeIndex] : nil
        let start = column ?? 0
        if grapheme?.hasCertainWidth ?? !EncodedGrapheme.hasUncertainWidth(cell.scalar) {
            column = start + cells.count
        } else {
            // Spaces remove old text where it is drawn narrower; an unknown column makes the next cell move the cursor.
            bytes.append(spaces: cells.count)
            bytes.append(cursorToColumn: start)
            column = nil
        }
        if let grapheme { bytes += grapheme.bytes } else { bytes.append(scalar: cell.scalar) }
        return column == nil ? cells.lowerBound + (grapheme?.maxColumns ?? 0) : 0
    }

    /// Writes a part of a picture: a placeholder, or a space that the picture will cover.
    private mutating func putPlaced(_ cell: Cell, _ column: Int) {
        guard !cell.isPlaceholder else {
            pen.change(for: cell, to: &bytes)
            return bytes.append(
                placeholderAtRow: cell.placedRow, column: cell.placedColumn,
                continues: cell.glyph & Cell.continuesBit != 0)
        }
        if usesColor { pen.change(for: .blank, to: &bytes) }
        bytes.append(UInt8(ascii: " "))
        let placement = Placement(of: cell, column: column, row: row)
        if placements.last != placement { placements.append(placement) }
    }

    /// Moves the cursor by the shortest sequence, or by writing the cells between again.
    private mutating func move(toRow newRow: Int, _ target: Int) {
        if row == newRow, column == target { return }
        defer { (row, column) = (newRow, target) }
        guard row == newRow else { return bytes.append(cursorTo: CellPosition(column: target, row: newRow)) }
        var shortest: [UInt8] = []
        shortest.append(cursorToColumn: target)
        if let column, column < target {
            var forward: [UInt8] = []
            forward.append(cursorForward: target - column)
            if forward.count <= shortest.count { shortest = forward }
            let start = row * columns
            if let text = text(start + column..<start + target, limit: shortest.count) { shortest = text }
        }
        bytes += shortest
    }

    /// The text of cells on the screen, if the pen matches them all and it has at most `limit` bytes.
    private func text(_ cells: Range<Int>, limit: Int) -> [UInt8]? {
        var text: [UInt8] = []
        for at in cells {
            let cell = shown[at]
            guard !cell.isGrapheme, !cell.isContinuation, !EncodedGrapheme.hasUncertainWidth(cell.scalar),
                !usesColor || pen.matches(cell), text.count < limit
            else { return nil }
            text.append(scalar: cell.scalar)
        }
        return text.count <= limit ? text : nil
    }
}

/// Writes the rows of a frame that differ, after a scroll if that is shorter.
struct RowsPainter {
    let back: BackBuffer
    let usesColor: Bool
    let plan: PicturePlan
    /// About the bytes of a command that places a picture.
    private static let commandBytes = 50

    func paint(_ front: inout FrontBuffer, moves: Bool, limit: Int) -> [UInt8] {
        guard front.isPending.contains(true) else { return [] }
        guard moves, let move = ScrollMove(from: front, to: back), front.canScroll(move) else {
            return write(&front, limit: limit)
        }
        var scrolled = front
        var start = scrolled.eraseCut(by: move)
        start.append(move, of: back.rows)
        scrolled.scroll(move)
        guard cost(scrolled, after: start) < cost(front) else { return write(&front, limit: limit) }
        front = scrolled
        return write(&front, after: start, limit: limit)
    }

    /// The bytes of all rows, and of the pictures that will be drawn after them.
    private func cost(_ front: FrontBuffer, after start: [UInt8] = []) -> Int {
        var front = front
        let rows = write(&front, after: start, limit: .max).count
        return plan.drawn.reduce(rows) { sum, drawn in
            guard !front.shows(drawn.piece, drawn.payload) else { return sum }
            return sum + (drawn.payload.kind == .inline ? drawn.payload.bytes(in: drawn.piece.area) : Self.commandBytes)
        }
    }

    /// Writes the pending rows from `nextRow` on, wrapping around: at least one, and no other beyond the limit.
    private func write(_ front: inout FrontBuffer, after start: [UInt8] = [], limit: Int) -> [UInt8] {
        front.handOver(plan, back.cells)
        var writer = RowWriter(
            back, over: front.cells, usesColor: usesColor, clearsRows: !front.hadInline, after: start)
        let first = front.nextRow
        front.nextRow = 0
        for offset in 0..<back.rows {
            let row = (first + offset) % back.rows
            guard front.isPending[row] else { continue }
            let before = limit == .max || writer.bytes.count == start.count ? nil : writer
            writer.write(row)
            if let before, writer.bytes.count > max(limit, before.bytes.count) {
                writer = before
                front.nextRow = row
                break
            }
            front.isPending[row] = false
        }
        writer.reset()
        front.cells = writer.shown
        // Text has erased parts of these, also where it was a space of their own.
        front.pictures.removeAll { $0.content == .inline && writer.placements.contains($0.piece.placement) }
        return writer.bytes
    }
}
