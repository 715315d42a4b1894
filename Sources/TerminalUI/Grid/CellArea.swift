/// A place in a grid, counted from 0 at the upper left corner.
public struct CellPosition: Hashable, Sendable {
    /// Cells from the left.
    public var column: Int
    /// Cells from the top.
    public var row: Int

    /// A place; it may lie outside of any grid.
    public init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }
}

/// A rectangle of cells; it may be empty, and it may reach beyond a grid.
public struct CellArea: Hashable, Sendable {
    /// The first column.
    public var column: Int
    /// The first row.
    public var row: Int
    /// Cells across; at least 0.
    public var columns: Int
    /// Cells down; at least 0.
    public var rows: Int

    /// A rectangle; negative sides count as 0.
    public init(column: Int = 0, row: Int = 0, columns: Int, rows: Int) {
        self.column = column
        self.row = row
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
    }

    /// All of a screen.
    public init(_ size: CellSize) { self.init(columns: size.columns, rows: size.rows) }

    /// The column behind the last.
    public var endColumn: Int { column + columns }
    /// The row below the last.
    public var endRow: Int { row + rows }
    /// Whether nothing lies in it.
    public var isEmpty: Bool { columns == 0 || rows == 0 }

    /// Whether a place lies in it.
    public func contains(_ position: CellPosition) -> Bool {
        (column..<endColumn).contains(position.column) && (row..<endRow).contains(position.row)
    }

    /// What two rectangles share; empty where they do not touch.
    public func intersection(_ other: CellArea) -> CellArea {
        let left = max(column, other.column)
        let top = max(row, other.row)
        return CellArea(
            column: left, row: top, columns: min(endColumn, other.endColumn) - left,
            rows: min(endRow, other.endRow) - top)
    }

    /// The rectangle without so many cells at its sides.
    public func inset(left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0) -> CellArea {
        CellArea(column: column + left, row: row + top, columns: columns - left - right, rows: rows - top - bottom)
    }
}
