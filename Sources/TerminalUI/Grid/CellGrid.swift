/// The contents of a screen: a character and its style for every cell, the cursor, and a link.
///
///     var grid = CellGrid(size: screen)
///     grid.put(title, at: CellPosition(column: 26, row: 4), in: CellStyle(.bold))
///     grid.put(thumbnail, at: CellPosition(column: 2, row: 4))
///     session.write(painter.paint(grid).bytes)
///
/// A value. Drawing outside it is clipped without an error. Half of a wide character, where the other half was clipped
/// or overwritten, becomes a space. Grids are equal if they look alike: the foreground of a space does not count.
public struct CellGrid: Sendable {
    /// Columns and rows.
    public let size: CellSize
    /// The cells, row by row; all cells of a wide character have the same style.
    var cells: [Cell]
    var graphemes = GraphemeTable()
    /// Pictures in pixels that have been put here, by number.
    var pictures: [UInt32: CellImage] = [:]
    /// Images by urgency: the selected one, others of the screen, and those that keys lead to.
    package var urgentImages: [CellImage] = []
    /// The cursor's position; hidden if `nil` or outside.
    public var cursor: CellPosition?
    /// The hyperlink, if any; clipped to the grid.
    package var link: CellLink?
    /// Unused graphemes are dropped when there are so many more graphemes than cells.
    private static let spareGraphemes = 64

    /// Creates a grid of empty cells in a style.
    public init(size: CellSize, style: CellStyle = .plain) {
        self.size = size
        cells = [Cell](repeating: Cell(" ", style), count: size.columns * size.rows)
    }

    /// All cells.
    public var area: CellArea { CellArea(size) }

    /// Returns the text of a row without trailing spaces.
    public func text(ofRow row: Int) -> String {
        precondition((0..<size.rows).contains(row), "outside the grid")
        var text = cells[row * size.columns..<(row + 1) * size.columns].map { string(of: $0) }.joined()
        while text.last == " " { text.removeLast() }
        return text
    }

    /// Returns the style of one cell.
    public func style(at position: CellPosition) -> CellStyle {
        precondition(area.contains(position), "outside the grid")
        return appearance(of: cells[position.row * size.columns + position.column]).style
    }

    /// Returns the cell; for a picture in pixels, the character that replaces it.
    func appearance(of cell: Cell) -> Cell {
        guard cell.isPlaced else { return cell }
        let image = pictures[cell.style.foreground.number]
        return image.map { $0.cells[cell.placedRow * $0.columns + cell.placedColumn] } ?? .blank
    }

    /// Returns the character of a cell; empty for the second half of a wide one.
    func string(of cell: Cell) -> String {
        let cell = appearance(of: cell)
        if cell.isContinuation { return "" }
        if cell.isGrapheme { return graphemes.texts[cell.graphemeIndex] }
        return Unicode.Scalar(cell.scalar).map { String(Character($0)) } ?? " "
    }

    mutating func glyph(of character: Character) -> UInt32 {
        let scalars = character.unicodeScalars
        if let only = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex { return only.value }
        if graphemes.count > cells.count + Self.spareGraphemes { graphemes.compact(&cells) }
        return Cell.graphemeBit | graphemes.index(of: String(character))
    }
}

extension CellGrid: Equatable {
    /// Returns whether both look alike.
    public static func == (one: CellGrid, other: CellGrid) -> Bool {
        guard one.size == other.size, one.cursor == other.cursor, one.link == other.link else { return false }
        return zip(one.cells, other.cells).allSatisfy { first, second in
            if first == second, !first.isGrapheme { return true }
            if first.isGrapheme || second.isGrapheme {
                return first.style == second.style && first.isGrapheme == second.isGrapheme
                    && one.string(of: first).utf8.elementsEqual(other.string(of: second).utf8)
            }
            return first.scalar == second.scalar && first.normalized.style == second.normalized.style
        }
    }
}

extension CellGrid: CustomStringConvertible {
    /// The rows as text, without trailing spaces.
    public var description: String { (0..<size.rows).map { text(ofRow: $0) }.joined(separator: "\n") }
}

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
        putCharacters(of: text, at: position, in: style, visible.column..<visible.endColumn)
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
    /// A picture in pixels that is clipped, or later covered or restyled, is drawn as characters where the protocol cannot
    /// do otherwise.
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

    private mutating func putCharacters(
        of text: TerminalText, at position: CellPosition, in style: CellStyle, _ visible: Range<Int>
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

    /// Replaces wide characters by spaces if these columns have only half of them.
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
