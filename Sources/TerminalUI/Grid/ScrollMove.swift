/// A scroll of a region, as DECSTBM, SU and SD do it.
struct ScrollMove: Equatable {
    let top: Int
    /// Exclusive.
    let bottom: Int
    /// Rows upwards; down if negative.
    let distance: Int

    /// Finds the scroll that most of the changed rows agree on; `nil` if none has moved.
    ///
    /// It may cost more than it saves.
    init?(from front: FrontBuffer, to back: BackBuffer) {
        let columns = back.columns
        let changed = (0..<back.rows).filter { front.isPending[$0] }
        guard changed.count > 1 else { return nil }
        var positions: [[Cell]: Int] = [:]
        for row in 0..<back.rows {
            guard let key = Self.key(front.cells[row * columns..<(row + 1) * columns]) else { continue }
            // Equal rows are ambiguous.
            positions[key] = positions[key] == nil ? row : -1
        }
        var moved: [Int: [Int]] = [:]
        for row in changed {
            guard let key = Self.key(back.cells[row * columns..<(row + 1) * columns]), let from = positions[key],
                from >= 0, from != row
            else { continue }
            moved[from - row, default: []].append(row)
        }
        let most = moved.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
        guard let (distance, rows) = most, let first = rows.first, let last = rows.last else { return nil }
        top = min(first, first + distance)
        self.distance = distance
        var bottom = max(last, last + distance) + 1
        // Kitty's placements may not end in the last row of a region.
        let below = bottom * columns..<min(bottom + 1, back.rows) * columns
        if front.cells[below].allSatisfy({ $0 == .blank }) { bottom = min(bottom + 1, back.rows) }
        self.bottom = bottom
    }

    /// Identifies a row by its images, since rows of selected items differ beside them; else by its text.
    private static func key(_ row: ArraySlice<Cell>) -> [Cell]? {
        let images = row.map { $0.isImage || $0.isPlaced ? $0 : .blank }
        let key = images.contains { $0 != .blank } ? images : Array(row)
        return key.contains { $0 != .blank } ? key : nil
    }
}
