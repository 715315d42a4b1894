/// Everything that a screen shows: a character and its look for every cell, and where the cursor is.
///
///     var grid = CellGrid(size: screen)
///     grid.put(title, at: CellPosition(column: 26, row: 4), in: CellStyle(.bold))
///     grid.put(thumbnail, at: CellPosition(column: 2, row: 4))
///     try session.write(painter.paint(grid).bytes)
///
/// A value; drawing outside of it is cut off and no error. Where a wide character is cut or overwritten by half, a space is left.
public struct CellGrid: Sendable {
    /// Columns and rows.
    public let size: CellSize
    /// The cells, row by row.
    var cells: [Cell]
    /// The characters that are more than a scalar, by their number.
    var clusters: [String] = []
    /// Where the cursor is shown; `nil` hides it.
    public var cursor: CellPosition?

    /// A grid of empty cells in a style.
    public init(size: CellSize, style: CellStyle = .plain) {
        self.size = size
        cells = [Cell](repeating: Cell(" ", style), count: size.columns * size.rows)
    }

    /// All of it.
    public var area: CellArea { CellArea(size) }

    /// Puts one line of text, of which only what lies in `clip` is drawn.
    ///
    /// A background of `nil` keeps what is there.
    ///
    /// - Returns: the columns that the text takes, drawn or not.
    @discardableResult
    public mutating func put(
        _ text: TerminalText, at place: CellPosition, in style: CellStyle = .plain, clip: CellArea? = nil
    ) -> Int {
        let visible = clip.map { area.intersection($0) } ?? area
        guard (visible.row..<visible.endRow).contains(place.row) else { return text.width }
        var column = place.column
        for character in text.string {
            let width = CharacterWidth.of(character)
            defer { column += width }
            guard width > 0, column >= visible.column, column + width <= visible.endColumn else { continue }
            set(character, width: width, at: CellPosition(column: column, row: place.row), in: style)
        }
        return text.width
    }

    /// Fills an area with spaces in a style.
    public mutating func fill(_ part: CellArea, with style: CellStyle) {
        let part = area.intersection(part)
        guard !part.isEmpty else { return }
        for row in part.row..<part.endRow {
            mendEdges(part.column..<part.endColumn, row: row)
            let start = row * size.columns
            for at in start + part.column..<start + part.endColumn { cells[at] = Cell(" ", style) }
        }
    }

    /// Puts a picture, of which only what lies in `clip` is drawn.
    public mutating func put(_ image: CellImage, at place: CellPosition, clip: CellArea? = nil) {
        let whole = CellArea(column: place.column, row: place.row, columns: image.columns, rows: image.rows)
        let part = (clip.map { area.intersection($0) } ?? area).intersection(whole)
        guard !part.isEmpty else { return }
        for row in part.row..<part.endRow {
            mendEdges(part.column..<part.endColumn, row: row)
            let from = (row - place.row) * image.columns + part.column - place.column
            let to = row * size.columns + part.column
            for offset in 0..<part.columns { cells[to + offset] = image.cells[from + offset] }
        }
    }

    /// Gives all cells of an area other colours; those that are `nil` stay.
    public mutating func restyle(_ part: CellArea, _ change: (inout CellStyle) -> Void) {
        let part = area.intersection(part)
        guard !part.isEmpty else { return }
        for row in part.row..<part.endRow {
            let start = row * size.columns
            for at in start + part.column..<start + part.endColumn { change(&cells[at].style) }
        }
    }

    /// The text of a row without spaces at its end, as somebody reads it.
    public func text(ofRow row: Int) -> String {
        precondition((0..<size.rows).contains(row), "outside the grid")
        var text = ""
        for cell in cells[row * size.columns..<(row + 1) * size.columns] where !cell.isContinuation {
            text += string(of: cell)
        }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The look of one cell.
    public func style(at place: CellPosition) -> CellStyle {
        precondition(area.contains(place), "outside the grid")
        return cells[place.row * size.columns + place.column].style
    }

    /// The character of a cell; nothing for the second half of a wide one.
    func string(of cell: Cell) -> String {
        if cell.isContinuation { return "" }
        if cell.glyph & Cell.clusterBit != 0 { return clusters[Int(cell.glyph & ~Cell.clusterBit)] }
        return Unicode.Scalar(cell.glyph).map { String(Character($0)) } ?? " "
    }

    private mutating func set(_ character: Character, width: Int, at place: CellPosition, in style: CellStyle) {
        mendEdges(place.column..<place.column + width, row: place.row)
        let at = place.row * size.columns + place.column
        let scalars = character.unicodeScalars
        if let only = scalars.first, scalars.count == 1 {
            cells[at] = Cell(only, style)
        } else {
            clusters.append(String(character))
            cells[at] = Cell(glyph: Cell.clusterBit | UInt32(clusters.count - 1), style: style)
        }
        for offset in 1..<max(width, 1) { cells[at + offset] = Cell(glyph: Cell.continuation, style: style) }
    }

    /// Leaves no half of a wide character at the edges of what is about to be overwritten.
    private mutating func mendEdges(_ columns: Range<Int>, row: Int) {
        let start = row * size.columns
        if columns.lowerBound > 0, cells[start + columns.lowerBound].isContinuation {
            var at = start + columns.lowerBound - 1
            while cells[at].isContinuation, at > start {
                cells[at].glyph = 0x20
                at -= 1
            }
            cells[at].glyph = 0x20
        }
        var at = columns.upperBound
        while at < size.columns, cells[start + at].isContinuation {
            cells[start + at].glyph = 0x20
            at += 1
        }
    }
}
