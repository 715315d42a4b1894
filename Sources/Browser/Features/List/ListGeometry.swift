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
    /// Whether the pictures of a grid are cropped, so that they fill their boxes.
    let crops: Bool
    /// Beside a list of lines: the picture and the text of the selected photo.
    let preview: Preview?

    struct Preview: Hashable, Sendable {
        let picture: CellSize
        let area: CellArea
    }

    /// The columns before a grid's picture, where the selected one is marked.
    let leading: Int
    private let inner: CellArea

    /// A larger screen has this share of its rows in a thumbnail of the default density.
    private static let rowsPerThumbnail = 5
    private static let shape = (columns: 10, rows: 3)
    private static let minColumns = 40
    private static let minGridWidth = 8
    private static let defaultGridWidth = 27
    private static let gap = 2
    /// The minimum columns of a screen for a preview, and its share of them.
    private static let fitsPreview = 100
    private static let previewShare = (part: 2, whole: 5)

    init(screen: CellSize, preferences: Preferences, showsImages: Bool, margins: ThemeMargins = ThemeMargins()) {
        let rows = FrameRows.content(of: screen)
        let margin = margins.leading(on: screen.columns)
        inner = rows.inset(left: margin, right: max(margin - 1, 0))
        leading = min(margin, 1)
        isGrid = preferences.arrangement == .grid && showsImages
        crops = isGrid && preferences.cropsGrid
        if isGrid {
            area = rows
            preview = nil
            let maxColumns = max((inner.columns + Self.gap) / (Self.minGridWidth + Self.gap), 1)
            let defaultColumns = max((inner.columns + Self.gap) / (Self.defaultGridWidth + Self.gap), 1)
            columns = min(max(preferences.gridColumns ?? defaultColumns, 1), maxColumns)
            let width = max((inner.columns + Self.gap) / columns - Self.gap, 1)
            itemColumns = leading + width
            captionRows = Self.captionRows(in: area)
            let room = max(area.rows - captionRows, 1)
            let height = min(max(width / 3, 2), room)
            thumbnail = CellSize(clamping: width, height)
            itemRows = max(min(height + captionRows + (area.rows > height + captionRows ? 1 : 0), area.rows), 1)
        } else {
            let level = min(max(preferences.density, 0), Self.densities.count - 1)
            preview =
                level == 0 && showsImages && screen.columns >= Self.fitsPreview ? Self.preview(in: inner) : nil
            var area = rows
            if let preview { area.columns = preview.area.column - 1 }
            self.area = area
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

    private static func preview(in inner: CellArea) -> Preview {
        let columns = inner.columns * previewShare.part / previewShare.whole
        let area = inner.inset(left: inner.columns - columns)
        // The shape of a photograph, and rows for its text.
        let height = max(min(columns * 3 / 8, area.rows * 3 / 5), 1)
        return Preview(picture: CellSize(clamping: columns, height), area: area)
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
            column: isGrid ? column(of: position % columns) : area.column,
            row: area.row + (position / columns - topRow) * itemRows, columns: itemColumns, rows: itemRows)
    }

    /// The first column of an item; the last one ends where header and footer do.
    private func column(of number: Int) -> Int {
        let pitch = itemColumns - leading + Self.gap
        let spare = max(inner.columns + Self.gap - pitch * columns, 0)
        return inner.column - leading + number * pitch + (columns > 1 ? number * spare / (columns - 1) : 0)
    }
}
