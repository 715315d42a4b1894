struct RowsPainter {
    let back: BackBuffer
    let tolerance: CellTolerance
    let usesColor: Bool
    let plan: PicturePlan

    /// The bytes of the rows that differ, with a scroll before them if that is shorter, and a reset after them.
    func paint(_ front: inout FrontBuffer, moves: Bool, limit: Int) -> [UInt8] {
        guard front.isPending.contains(true) else { return [] }
        guard moves, let move = ScrollSearch(back: back, front: front, tolerance: tolerance).best() else {
            return write(&front, limit: limit)
        }
        var scrolled = front
        var start = scrolled.eraseCut(by: move)
        start.append(move, of: front.rows)
        scrolled.scroll(move)
        var scrolledFully = scrolled
        let scrolledBytes = write(&scrolledFully, after: start, limit: .max)
        var fixedFully = front
        let fixedBytes = write(&fixedFully, limit: .max)
        let isShorter =
            scrolledBytes.count + bytesOfPictures(behind: scrolledFully)
            < fixedBytes.count + bytesOfPictures(behind: fixedFully)
        let bytes = isShorter ? scrolledBytes : fixedBytes
        if bytes.count <= limit {
            front = isShorter ? scrolledFully : fixedFully
            return bytes
        }
        guard isShorter else { return write(&front, limit: limit) }
        front = scrolled
        return write(&front, after: start, limit: limit)
    }

    /// The bytes of the pictures that will be drawn behind the rows.
    private func bytesOfPictures(behind front: FrontBuffer) -> Int {
        plan.drawn.reduce(0) { sum, drawn in
            guard let payload = drawn.image.payload,
                !front.pictures.contains(where: { $0.placement == drawn.placement })
            else { return sum }
            return sum + (payload.kind == .inline ? payload.bytes.count : Self.commandBytes)
        }
    }

    private static let commandBytes = 50

    /// Writes the pending rows from `nextRow` on, wrapping around: at least one, and no other beyond the limit.
    private func write(_ front: inout FrontBuffer, after start: [UInt8] = [], limit: Int) -> [UInt8] {
        front.handOver(plan, back.cells)
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
        // Text has erased parts of these, also where it was a space of their own.
        front.pictures.removeAll { $0.content == .inline && writer.placements.contains($0.placement) }
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
