extension CellGrid {
    /// Draws one line of text, clipped to `clip`.
    ///
    /// - Returns: the columns of the text, drawn or not.
    @discardableResult
    public mutating func put(
        _ text: TerminalText, at position: CellPosition, in style: CellStyle = .plain, clip: CellArea? = nil
    ) -> Int {
        let visible = clip.map { area.intersection($0) } ?? area
        guard (visible.row..<visible.endRow).contains(position.row), position.column < visible.endColumn else {
            return text.width
        }
        let columns = visible.column..<visible.endColumn
        if text.isASCII {
            putASCII(text, at: position, in: style, columns)
        } else {
            putCharacters(text, at: position, in: style, columns)
        }
        return text.width
    }

    /// Fills an area with spaces in a style.
    public mutating func fill(_ part: CellArea, with style: CellStyle) {
        let part = area.intersection(part)
        guard !part.isEmpty else { return }
        for row in part.row..<part.endRow { clear(part.column..<part.endColumn, row: row, style) }
    }

    /// Draws an image, clipped to `clip`.
    ///
    /// Its cells belong to it until something else is drawn over them. A picture in pixels that is then covered, clipped
    /// or restyled is drawn as characters where the protocol cannot do otherwise.
    public mutating func put(_ image: CellImage, at position: CellPosition, clip: CellArea? = nil) {
        let whole = CellArea(column: position.column, row: position.row, columns: image.columns, rows: image.rows)
        let part = (clip.map { area.intersection($0) } ?? area).intersection(whole)
        guard !part.isEmpty else { return }
        if let payload = image.payload { pictures[payload.number] = image }
        for row in part.row..<part.endRow {
            clearPartialCharacters(at: part.column..<part.endColumn, row: row)
            if let number = image.payload?.number {
                for column in part.column..<part.endColumn {
                    cells[row * size.columns + column] = Cell(
                        placedRow: row - position.row, column: column - position.column, of: number)
                }
                continue
            }
            let from = (row - position.row) * image.columns + part.column - position.column
            let to = row * size.columns + part.column
            for offset in 0..<part.columns { cells[to + offset] = image.cells[from + offset] }
        }
    }

    /// Changes the style of all cells of an area; a wide character takes the style of its first cell.
    package mutating func restyle(_ part: CellArea, _ change: (inout CellStyle) -> Void) {
        let part = area.intersection(part)
        guard !part.isEmpty else { return }
        for row in part.row..<part.endRow {
            let start = row * size.columns
            for at in start + part.column..<start + part.endColumn where !cells[at].isContinuation {
                if cells[at].isPlaced { cells[at] = appearance(of: cells[at]) }
                change(&cells[at].style)
            }
            // The last character may extend beyond the area.
            var at = start + part.column
            while at < start + size.columns, at < start + part.endColumn || cells[at].isContinuation {
                if cells[at].isContinuation, at > start { cells[at].style = cells[at - 1].style }
                at += 1
            }
        }
    }

    private mutating func putASCII(
        _ text: TerminalText, at position: CellPosition, in style: CellStyle, _ visible: Range<Int>
    ) {
        let columns = (position.column..<position.column + text.width).clamped(to: visible)
        guard !columns.isEmpty else { return }
        clearPartialCharacters(at: columns, row: position.row)
        let start = position.row * size.columns
        var column = position.column
        for byte in text.string.utf8 {
            if column >= columns.upperBound { break }
            if column >= columns.lowerBound { cells[start + column] = Cell(glyph: UInt32(byte), style: style) }
            column += 1
        }
    }

    private mutating func putCharacters(
        _ text: TerminalText, at position: CellPosition, in style: CellStyle, _ visible: Range<Int>
    ) {
        var column = position.column
        for character in text.string {
            if column >= visible.upperBound { break }
            let width = CharacterWidth.of(character)
            defer { column += width }
            guard width > 0, column + width > visible.lowerBound else { continue }
            let columns = column..<column + width
            guard columns.lowerBound >= visible.lowerBound, columns.upperBound <= visible.upperBound else {
                clear(columns.clamped(to: visible), row: position.row, style)
                continue
            }
            clearPartialCharacters(at: columns, row: position.row)
            let at = position.row * size.columns + column
            cells[at] = Cell(glyph: glyph(of: character), style: style)
            for offset in 1..<max(width, 1) { cells[at + offset] = Cell(glyph: Cell.continuation, style: style) }
        }
    }

    private mutating func clear(_ columns: Range<Int>, row: Int, _ style: CellStyle) {
        clearPartialCharacters(at: columns, row: row)
        let start = row * size.columns
        for at in start + columns.lowerBound..<start + columns.upperBound { cells[at] = Cell(" ", style) }
    }

    /// Replaces wide characters by spaces if overwriting these columns would leave half of them.
    private mutating func clearPartialCharacters(at columns: Range<Int>, row: Int) {
        let start = row * size.columns
        if columns.lowerBound > 0, cells[start + columns.lowerBound].isContinuation {
            var at = start + columns.lowerBound - 1
            while cells[at].isContinuation, at > start {
                cells[at].glyph = Cell.space
                at -= 1
            }
            cells[at].glyph = Cell.space
        }
        var at = columns.upperBound
        while at < size.columns, cells[start + at].isContinuation {
            cells[start + at].glyph = Cell.space
            at += 1
        }
    }
}
