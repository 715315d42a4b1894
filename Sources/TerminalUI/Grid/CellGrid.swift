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

    /// The cell, or what stands for it as a character if it is a picture's in pixels.
    func appearance(of cell: Cell) -> Cell {
        guard cell.isPlaced else { return cell }
        let image = pictures[cell.style.foreground.number]
        return image.map { $0.cells[cell.placedRow * $0.columns + cell.placedColumn] } ?? .blank
    }

    /// The character of a cell; empty for the second half of a wide one.
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
