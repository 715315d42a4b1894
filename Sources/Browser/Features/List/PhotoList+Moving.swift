internal import SpyglassTerminalUI

extension PhotoList {
    mutating func select(_ position: Int) {
        guard !positions.isEmpty else {
            selected = 0
            return
        }
        let before = selected
        selected = min(max(position, positions.lowerBound), positions.upperBound - 1)
        if selected != before { direction = selected > before ? .down : .up }
    }

    mutating func move(rows: Int, in geometry: ListGeometry) {
        guard !positions.isEmpty else { return }
        let first = geometry.row(of: positions.lowerBound)
        let last = geometry.row(of: positions.upperBound - 1)
        let row = min(max(geometry.row(of: selected) + rows, first), last)
        select(row * geometry.columns + selected % geometry.columns)
    }

    mutating func move(screens: Int, in geometry: ListGeometry) {
        let rows = screens * geometry.rowsWhole
        move(rows: rows, in: geometry)
        topRow += rows
    }

    mutating func scroll(rows: Int, in geometry: ListGeometry) {
        guard !positions.isEmpty else { return }
        let limits = topRows(in: geometry)
        topRow = min(max(topRow + rows, limits.lowerBound), limits.upperBound)
        direction = rows > 0 ? .down : .up
        let context = Self.context(in: geometry)
        let upper = topRow > limits.lowerBound ? topRow + context : topRow
        let lower = topRow + geometry.rowsWhole - 1 - (topRow < limits.upperBound ? context : 0)
        let row = geometry.row(of: selected)
        if row < upper { move(rows: upper - row, in: geometry) }
        if row > lower { move(rows: lower - row, in: geometry) }
    }

    /// Scrolls until the whole selection is visible, with a row of context if that fits.
    mutating func keepSelectionVisible(in geometry: ListGeometry) {
        guard !positions.isEmpty else {
            topRow = 0
            return
        }
        select(selected)
        let row = geometry.row(of: selected)
        let rows = geometry.rowsWhole
        let context = Self.context(in: geometry)
        let limits = topRows(in: geometry)
        let top = max(min(topRow, row - context), row + context - rows + 1)
        topRow = min(max(top, limits.lowerBound), limits.upperBound)
    }

    mutating func reflow(from old: ListGeometry, to new: ListGeometry) {
        let offset = old.row(of: selected) - topRow
        topRow = new.row(of: selected) - offset * new.rowsWhole / old.rowsWhole
        keepSelectionVisible(in: new)
    }

    /// The valid first rows: the last shows the end line, the first leaves room above for pages to come.
    private func topRows(in geometry: ListGeometry) -> ClosedRange<Int> {
        let first = geometry.row(of: positions.lowerBound)
        let last = geometry.row(of: max(positions.upperBound - 1, positions.lowerBound))
        let rows = geometry.rowsWhole
        let hasRoomBelow = geometry.area.rows > rows * geometry.itemRows
        let endRows = hasRoomBelow || rows < 2 ? 0 : 1
        let lowest = isAtStart || filter != nil ? first : max(first - geometry.rowsInPart + 1, 0)
        return lowest...max(last + endRows - rows + 1, first)
    }

    private static func context(in geometry: ListGeometry) -> Int { geometry.rowsWhole >= 3 ? 1 : 0 }
}
