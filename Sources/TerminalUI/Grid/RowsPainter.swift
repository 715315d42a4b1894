struct RowsPainter {
    let back: BackBuffer
    let tolerance: CellTolerance
    let usesColor: Bool

    /// The bytes of the rows that differ, with a scroll before them if that is shorter, and a reset after them.
    func paint(_ front: inout FrontBuffer, moves: Bool, limit: Int) -> [UInt8] {
        guard front.isPending.contains(true) else { return [] }
        guard moves, let move = ScrollSearch(back: back, front: front, tolerance: tolerance).best() else {
            return write(&front, limit: limit)
        }
        var start: [UInt8] = []
        start.append(move, of: front.rows)
        var scrolled = front
        scrolled.scroll(move)
        var scrolledFully = scrolled
        let scrolledBytes = write(&scrolledFully, after: start, limit: .max)
        var fixedFully = front
        let fixedBytes = write(&fixedFully, limit: .max)
        let isShorter = scrolledBytes.count < fixedBytes.count
        if min(scrolledBytes.count, fixedBytes.count) <= limit {
            front = isShorter ? scrolledFully : fixedFully
            return isShorter ? scrolledBytes : fixedBytes
        }
        guard isShorter else { return write(&front, limit: limit) }
        front = scrolled
        return write(&front, after: start, limit: limit)
    }

    /// Writes the pending rows from `nextRow` on, wrapping around: at least one, and no other beyond the limit.
    private func write(_ front: inout FrontBuffer, after start: [UInt8] = [], limit: Int) -> [UInt8] {
        var bytes = start
        var writer = RowWriter(
            columns: back.columns, tolerance: tolerance, usesColor: usesColor, graphemes: back.graphemes)
        let first = front.nextRow
        front.nextRow = 0
        for offset in 0..<back.rows {
            let row = (first + offset) % back.rows
            guard front.isPending[row] else { continue }
            if limit == .max || bytes.count == start.count {
                writer.write(row, back.cells, over: &front.cells, to: &bytes)
            } else if !write(row, of: &front, by: &writer, to: &bytes, limit: limit) {
                front.nextRow = row
                break
            }
            front.rowHashes[row] = back.rowHashes[row]
            front.isPending[row] = false
        }
        writer.reset(&bytes)
        return bytes
    }

    private func write(
        _ row: Int, of front: inout FrontBuffer, by writer: inout RowWriter, to bytes: inout [UInt8], limit: Int
    ) -> Bool {
        let cells = row * back.columns..<(row + 1) * back.columns
        let before = (cells: Array(front.cells[cells]), writer: writer, count: bytes.count)
        writer.write(row, back.cells, over: &front.cells, to: &bytes)
        guard bytes.count > limit, bytes.count > before.count else { return true }
        front.cells.replaceSubrange(cells, with: before.cells)
        writer = before.writer
        bytes.removeSubrange(before.count...)
        return false
    }
}
