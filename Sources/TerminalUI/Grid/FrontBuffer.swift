/// What the terminal shows as far as the painter knows.
struct FrontBuffer: Sendable {
    let columns: Int
    var cells: [Cell]
    /// The names of the rows that were wanted where they were painted; pictures may be shown nearly.
    var names: [UInt64]
    /// Rows that may not be as they are wanted.
    var isPending: [Bool]
    /// The row that comes first when a frame goes on.
    var nextRow = 0

    /// An empty screen.
    init(size: CellSize) {
        columns = size.columns
        cells = [Cell](repeating: .blank, count: size.columns * size.rows)
        names = [UInt64](repeating: BackBuffer.blankName(columns: size.columns), count: size.rows)
        isPending = [Bool](repeating: true, count: size.rows)
    }

    var rows: Int { names.count }

    /// What nothing is wanted to be, so that a cell which holds it is written.
    private static let unsettled = Cell(glyph: 1, style: .plain)

    /// Has the cells of one row written anew, as they are wanted.
    mutating func unsettle(_ area: CellArea) {
        for column in area.column..<area.endColumn { cells[area.row * columns + column] = Self.unsettled }
        isPending[area.row] = true
    }

    mutating func apply(_ move: ScrollMove) {
        let blankName = BackBuffer.blankName(columns: columns)
        let old = cells
        let oldNames = names
        for row in move.top..<move.bottom {
            isPending[row] = true
            let from = row + move.distance
            let to = row * columns
            if (move.top..<move.bottom).contains(from) {
                names[row] = oldNames[from]
                cells.replaceSubrange(to..<to + columns, with: old[from * columns..<(from + 1) * columns])
            } else {
                names[row] = blankName
                cells.replaceSubrange(to..<to + columns, with: repeatElement(.blank, count: columns))
            }
        }
    }
}
