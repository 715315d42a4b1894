internal import SpyglassTerminalUI

/// How the photos of a list stand on the screen; a pure function of its size and the preferences, for `update` and `view` alike.
///
/// All items are equally large, so that rows keep their place when pictures arrive.
package struct ListGeometry: Hashable, Sendable {
    /// One step of density: lines of a picture in a list, 0 for a line of text alone.
    package static let densities = [0, 3, 6, 10, 16]
    /// The lines of text of an item that has no picture, at the same steps: title, maker and centre first, then two lines of description,
    /// then longer titles, then more description.
    static let textRows = [1, 3, 5, 7, 10]
    package static let defaultDensity = 2

    /// Where items are drawn.
    let area: CellArea
    /// Items side by side.
    let columns: Int
    /// The room of one item, with the gap to the next.
    let itemColumns: Int
    let itemRows: Int
    /// The box of a picture; `nil` without pictures.
    let thumbnail: CellSize?
    /// Lines of text in an item of a grid, below the picture.
    let captionRows: Int
    let isGrid: Bool

    /// A picture in a list is at most this many times as wide as high.
    private static let shape = (columns: 10, rows: 3)
    /// Below this many columns there is no room for a picture beside text.
    private static let narrowest = 40
    /// A picture in a grid that is still worth looking at, and the best width when nobody chose.
    private static let smallestGridPicture = 8
    private static let defaultGridPicture = 28
    private static let gap = 2

    init(screen: CellSize, preferences: Preferences, showsImages: Bool) {
        area = FrameRows.content(of: screen)
        isGrid = preferences.arrangement == .grid && showsImages
        if isGrid {
            let most = max(area.columns / (Self.smallestGridPicture + Self.gap), 1)
            let usual = max(area.columns / (Self.defaultGridPicture + Self.gap), 1)
            columns = min(max(preferences.gridColumns ?? usual, 1), most)
            itemColumns = area.columns / columns
            let width = max(itemColumns - Self.gap, 1)
            captionRows = area.rows >= 12 ? 2 : area.rows >= 6 ? 1 : 0
            let room = max(area.rows - captionRows, 1)
            let height = min(max(width / 3, 2), room)
            thumbnail = CellSize(clamping: width, height)
            itemRows = max(min(height + captionRows + (area.rows > height + captionRows ? 1 : 0), area.rows), 1)
        } else {
            let level = min(max(preferences.density, 0), Self.densities.count - 1)
            let isNarrow = area.columns < Self.narrowest || !showsImages
            let wanted = Self.densities[level]
            columns = 1
            captionRows = 0
            itemColumns = area.columns
            if wanted == 0 {
                thumbnail = nil
                itemRows = 1
            } else {
                let most = max(area.rows - 1, 1)
                let height = min(wanted, most)
                let width = min(height * Self.shape.columns / Self.shape.rows, area.columns * 2 / 5)
                thumbnail = isNarrow || height < 2 ? nil : CellSize(clamping: width, height)
                let rows = thumbnail?.rows ?? min(Self.textRows[level], most)
                itemRows = min(rows + 1, max(area.rows, 1))
            }
        }
    }

    /// Rows of items that are on the screen at least in part, and wholly; at least one.
    var rowsInPart: Int { max((area.rows + itemRows - 1) / itemRows, 1) }
    var rowsWhole: Int { max(area.rows / itemRows, 1) }

    /// The row of items that a position is in.
    func row(of position: Int) -> Int { position / columns }

    /// The positions on the screen when `topRow` is its first row.
    func positions(from topRow: Int) -> Range<Int> {
        topRow * columns..<(topRow + rowsInPart) * columns
    }

    /// Where an item stands, which may reach below the area; `nil` when it is not on the screen.
    func area(of position: Int, from topRow: Int) -> CellArea? {
        guard positions(from: topRow).contains(position) else { return nil }
        return CellArea(
            column: area.column + position % columns * itemColumns,
            row: area.row + (position / columns - topRow) * itemRows, columns: itemColumns, rows: itemRows)
    }
}
