/// Writes the rows of a screen that are not as they are wanted.
struct RowsPainter {
    let wanted: BackBuffer
    let tolerance: UInt8
    let usesColor: Bool

    private var likeness: CellTolerance { CellTolerance(tolerance: tolerance) }

    /// The bytes of the rows that differ, with a move before them where that is shorter, and a reset behind them.
    func paint(_ screen: inout FrontBuffer, moves: Bool, limit: Int) -> [UInt8] {
        guard screen.isPending.contains(true) else { return [] }
        guard moves, let move = ScrollSearch(wanted: wanted, screen: screen, likeness: likeness).best() else {
            return write(&screen, limit: limit)
        }
        var start: [UInt8] = []
        start.append(move, of: screen.rows)
        var moved = screen
        moved.apply(move)
        var movedFully = moved
        let bytesOfMoved = write(&movedFully, after: start, limit: .max)
        var stillFully = screen
        let bytesOfStill = write(&stillFully, limit: .max)
        let isShorter = bytesOfMoved.count < bytesOfStill.count
        if min(bytesOfMoved.count, bytesOfStill.count) <= limit {
            screen = isShorter ? movedFully : stillFully
            return isShorter ? bytesOfMoved : bytesOfStill
        }
        guard isShorter else { return write(&screen, limit: limit) }
        screen = moved
        return write(&screen, after: start, limit: limit)
    }

    /// Writes the pending rows, from `nextRow` on and around; one at least, and no other that would pass the limit.
    private func write(_ screen: inout FrontBuffer, after start: [UInt8] = [], limit: Int) -> [UInt8] {
        var bytes = start
        var writer = RowWriter(
            columns: wanted.columns, likeness: likeness, usesColor: usesColor, clusters: wanted.clusters)
        let first = screen.nextRow
        screen.nextRow = 0
        for offset in 0..<wanted.rows {
            let row = (first + offset) % wanted.rows
            guard screen.isPending[row] else { continue }
            if limit == .max || bytes.count == start.count {
                writer.write(row, wanted.cells, over: &screen.cells, to: &bytes)
            } else if !write(row, of: &screen, by: &writer, to: &bytes, limit: limit) {
                screen.nextRow = row
                break
            }
            screen.names[row] = wanted.names[row]
            screen.isPending[row] = false
        }
        writer.reset(&bytes)
        return bytes
    }

    /// Writes a row, unless it would pass the limit.
    private func write(
        _ row: Int, of screen: inout FrontBuffer, by writer: inout RowWriter, to bytes: inout [UInt8], limit: Int
    ) -> Bool {
        let cells = row * wanted.columns..<(row + 1) * wanted.columns
        let before = (cells: Array(screen.cells[cells]), writer: writer, count: bytes.count)
        writer.write(row, wanted.cells, over: &screen.cells, to: &bytes)
        guard bytes.count > limit, bytes.count > before.count else { return true }
        screen.cells.replaceSubrange(cells, with: before.cells)
        writer = before.writer
        bytes.removeSubrange(before.count...)
        return false
    }
}
