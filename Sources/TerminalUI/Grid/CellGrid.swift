/// Everything that a screen shows: a character and its look for every cell, and where the cursor is.
///
///     var grid = CellGrid(size: screen)
///     grid.put(title, at: CellPosition(column: 26, row: 4), in: CellStyle(.bold))
///     grid.put(thumbnail, at: CellPosition(column: 2, row: 4))
///     try session.write(painter.paint(grid).bytes)
///
/// A value; drawing outside of it is cut off and no error. Where a wide character is cut or overwritten by half, a space
/// is left. Grids are equal when they look alike: the colour of a space's ink does not count.
public struct CellGrid: Sendable {
    /// Columns and rows.
    public let size: CellSize
    /// The cells, row by row; every cell of a wide character has the look of its first.
    var cells: [Cell]
    /// The characters that are more than a scalar, by their number.
    var clusters = GraphemeTable()
    /// Where the cursor is shown; `nil`, or a place outside, hides it.
    public var cursor: CellPosition?
    /// The cells that are a hyperlink, if any; what of it lies outside does not count.
    public var link: CellLink?

    /// Clusters that no cell holds any more are dropped when there are so many more of them than cells.
    private static let spareClusters = 64

    /// A grid of empty cells in a style.
    public init(size: CellSize, style: CellStyle = .plain) {
        self.size = size
        cells = [Cell](repeating: Cell(" ", style), count: size.columns * size.rows)
    }

    /// All of it.
    public var area: CellArea { CellArea(size) }

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
    public func style(at position: CellPosition) -> CellStyle {
        precondition(area.contains(position), "outside the grid")
        return cells[position.row * size.columns + position.column].style
    }

    /// The character of a cell; nothing for the second half of a wide one.
    func string(of cell: Cell) -> String {
        if cell.isContinuation { return "" }
        if cell.isCluster { return clusters.texts[cell.cluster] }
        return Unicode.Scalar(cell.scalar).map { String(Character($0)) } ?? " "
    }

    /// The glyph of a character.
    mutating func glyph(of character: Character) -> UInt32 {
        let scalars = character.unicodeScalars
        if let only = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex { return only.value }
        if clusters.count > cells.count + Self.spareClusters { clusters.compact(&cells) }
        return Cell.clusterBit | clusters.number(of: String(character))
    }
}

extension CellGrid: Equatable {
    /// Whether both look alike.
    public static func == (one: CellGrid, other: CellGrid) -> Bool {
        guard one.size == other.size, one.cursor == other.cursor, one.link == other.link else { return false }
        return zip(one.cells, other.cells).allSatisfy { first, second in
            if first == second, !first.isCluster { return true }
            if first.isCluster || second.isCluster {
                return first.style == second.style && first.isCluster == second.isCluster
                    && one.string(of: first).utf8.elementsEqual(other.string(of: second).utf8)
            }
            return first.scalar == second.scalar && first.withoutUnseen.style == second.withoutUnseen.style
        }
    }
}

extension CellGrid: CustomStringConvertible {
    /// The rows as text, without spaces at their ends.
    public var description: String { (0..<size.rows).map { text(ofRow: $0) }.joined(separator: "\n") }
}
