struct FrontBuffer: Sendable {
    let columns: Int
    var cells: [Cell]
    /// Hashes of the wanted rows when they were painted; image colours may have been approximated.
    var rowHashes: [UInt64]
    /// Rows that may differ from the wanted ones.
    var isPending: [Bool]
    /// Pictures that the terminal shows as pixels.
    var pictures: [DrawnPicture] = []
    /// The first row of the next frame, after a frame that reached its limit.
    var nextRow = 0

    init(size: CellSize) {
        columns = size.columns
        cells = [Cell](repeating: .blank, count: size.columns * size.rows)
        rowHashes = [UInt64](repeating: BackBuffer.blankRowHash(columns: size.columns), count: size.rows)
        isPending = [Bool](repeating: true, count: size.rows)
    }

    var rows: Int { rowHashes.count }
    /// Differs from every wanted cell.
    private static let invalid = Cell(glyph: 1, style: .plain)

    mutating func invalidate(_ area: CellArea) {
        for column in area.column..<area.endColumn { cells[area.row * columns + column] = Self.invalid }
        isPending[area.row] = true
    }

    /// Marks a painted row that is not as wanted.
    mutating func markPending(_ row: Int) {
        isPending[row] = true
        rowHashes[row] = ~rowHashes[row]
    }

    /// Moves the rows of a region; pictures that it would cut are erased before (`eraseCut`).
    mutating func scroll(_ move: ScrollMove) {
        for index in pictures.indices where pictures[index].isMoved(by: move) {
            pictures[index].placement.row -= move.distance
        }
        let blankHash = BackBuffer.blankRowHash(columns: columns)
        let old = cells
        let oldHashes = rowHashes
        for row in move.top..<move.bottom {
            isPending[row] = true
            let from = row + move.distance
            let to = row * columns
            if (move.top..<move.bottom).contains(from) {
                rowHashes[row] = oldHashes[from]
                cells.replaceSubrange(to..<to + columns, with: old[from * columns..<(from + 1) * columns])
            } else {
                rowHashes[row] = blankHash
                cells.replaceSubrange(to..<to + columns, with: repeatElement(.blank, count: columns))
            }
        }
    }
}
