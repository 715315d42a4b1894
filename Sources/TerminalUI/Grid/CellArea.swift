/// A position in a grid, counted from 0 at the upper left corner.
public struct CellPosition: Hashable, Sendable {
    /// Cells from the left.
    public var column: Int
    /// Cells from the top.
    public var row: Int

    /// Creates a position, which may be outside any grid.
    public init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }
}

/// A rectangle of cells; it may be empty or extend beyond a grid.
public struct CellArea: Hashable, Sendable {
    /// The first column.
    public var column: Int
    /// The first row.
    public var row: Int
    /// Cells across; at least 0.
    public var columns: Int
    /// Cells down; at least 0.
    public var rows: Int

    /// Creates a rectangle; negative sides count as 0.
    public init(column: Int = 0, row: Int = 0, columns: Int, rows: Int) {
        self.column = column
        self.row = row
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
    }

    /// Creates the rectangle of a whole screen.
    public init(_ size: CellSize) { self.init(columns: size.columns, rows: size.rows) }

    /// The column after the last.
    public var endColumn: Int { column + columns }
    /// The row below the last.
    public var endRow: Int { row + rows }
    /// Whether the area has no cells.
    public var isEmpty: Bool { columns == 0 || rows == 0 }

    /// Returns whether a position is inside.
    public func contains(_ position: CellPosition) -> Bool {
        (column..<endColumn).contains(position.column) && (row..<endRow).contains(position.row)
    }

    /// Returns the common cells of two rectangles, possibly none.
    public func intersection(_ other: CellArea) -> CellArea {
        let left = max(column, other.column)
        let top = max(row, other.row)
        return CellArea(
            column: left, row: top, columns: min(endColumn, other.endColumn) - left,
            rows: min(endRow, other.endRow) - top)
    }

    /// Returns the rectangle, smaller by so many cells at each side.
    public func inset(left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0) -> CellArea {
        CellArea(column: column + left, row: row + top, columns: columns - left - right, rows: rows - top - bottom)
    }
}

/// Cells that link to a URL, in terminals with hyperlinks (OSC 8).
///
///     grid.link = CellLink(CellArea(row: 39, columns: 40, rows: 1), to: "https://images.nasa.gov/details/PIA00342")
package struct CellLink: Hashable, Sendable {
    /// The cells.
    package let area: CellArea
    /// The URL.
    package let address: String
    /// The maximum length of a URL in terminals (VTE and iTerm2, by the specification of OSC 8).
    package static let addressLimit = 2083

    /// Creates a link in one row; `nil` for other areas, and for a URL that is too long or not printable ASCII.
    package init?(_ area: CellArea, to address: String) {
        guard !area.isEmpty, area.rows == 1, !address.isEmpty, address.utf8.count <= Self.addressLimit,
            address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.area = area
        self.address = address
    }
}
