internal import SpyglassTerminalUI

/// All items have the same size, so nothing moves when images arrive.
package struct ListGeometry: Hashable, Sendable {
    /// Rows of a thumbnail at each density on a standard screen; 0 is one line of text.
    package static let densities = [0, 3, 6, 10, 16]
    /// Rows of text of an item without a thumbnail, at each density.
    static let textRows = [1, 3, 5, 7, 10]
    package static let defaultDensity = 2

    let area: CellArea
    let columns: Int
    let itemColumns: Int
    let itemRows: Int
    let thumbnail: CellSize?
    let captionRows: Int
    let isGrid: Bool

    /// A larger screen has this share of its rows in a thumbnail of the default density.
    private static let rowsPerThumbnail = 5
    private static let shape = (columns: 10, rows: 3)
    private static let minColumns = 40
    private static let minGridWidth = 8
    private static let defaultGridWidth = 28
    private static let gap = 2

    init(screen: CellSize, preferences: Preferences, showsImages: Bool) {
        area = FrameRows.content(of: screen)
        isGrid = preferences.arrangement == .grid && showsImages
        if isGrid {
            let maxColumns = max(area.columns / (Self.minGridWidth + Self.gap), 1)
            let defaultColumns = max(area.columns / (Self.defaultGridWidth + Self.gap), 1)
            columns = min(max(preferences.gridColumns ?? defaultColumns, 1), maxColumns)
            itemColumns = area.columns / columns
            let width = max(itemColumns - Self.gap, 1)
            captionRows = Self.captionRows(in: area)
            let room = max(area.rows - captionRows, 1)
            let height = min(max(width / 3, 2), room)
            thumbnail = CellSize(clamping: width, height)
            itemRows = max(min(height + captionRows + (area.rows > height + captionRows ? 1 : 0), area.rows), 1)
        } else {
            let level = min(max(preferences.density, 0), Self.densities.count - 1)
            let isNarrow = area.columns < Self.minColumns || !showsImages
            let wanted = Self.thumbnailRows(density: level, on: screen)
            columns = 1
            captionRows = 0
            itemColumns = area.columns
            if wanted == 0 {
                thumbnail = nil
                itemRows = 1
            } else {
                let maxHeight = max(area.rows - 1, 1)
                let height = min(wanted, maxHeight)
                let width = min(height * Self.shape.columns / Self.shape.rows, area.columns * 2 / 5)
                thumbnail = isNarrow || height < 2 ? nil : CellSize(clamping: width, height)
                let rows = thumbnail?.rows ?? min(Self.textRows[level], maxHeight)
                itemRows = min(rows + 1, max(area.rows, 1))
            }
        }
    }

    static func thumbnailRows(density level: Int, on screen: CellSize) -> Int {
        let standard = densities[defaultDensity]
        return densities[level] * max(screen.rows / rowsPerThumbnail, standard) / standard
    }

    static func captionRows(in area: CellArea) -> Int { area.rows >= 12 ? 2 : area.rows >= 3 ? 1 : 0 }

    /// Rows of items that are partly and wholly visible; at least one.
    var rowsInPart: Int { max((area.rows + itemRows - 1) / itemRows, 1) }
    var rowsWhole: Int { max(area.rows / itemRows, 1) }

    func row(of position: Int) -> Int { position / columns }

    func positions(from topRow: Int) -> Range<Int> {
        topRow * columns..<(topRow + rowsInPart) * columns
    }

    /// The area of a visible item, which may reach below `area`.
    func area(of position: Int, from topRow: Int) -> CellArea? {
        guard positions(from: topRow).contains(position) else { return nil }
        return CellArea(
            column: area.column + position % columns * itemColumns,
            row: area.row + (position / columns - topRow) * itemRows, columns: itemColumns, rows: itemRows)
    }
}
