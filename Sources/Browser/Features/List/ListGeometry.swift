internal import SpyglassTerminalUI

/// The areas of the items of a list or grid; all have the same size, so nothing moves when images arrive.
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
    var captionRows = 0
    var isGrid = false
    var crops = false
    /// The picture and the text of the selected photo, beside a list of lines.
    var preview: Preview?

    struct Preview: Hashable, Sendable {
        let picture: CellSize
        let area: CellArea
        /// The rows of a picture that has not come: those of a photograph.
        var usualRows: Int { max(min(area.columns * 3 / 8, picture.rows), 1) }
    }

    let leading: Int
    let inner: CellArea
    /// A larger screen has this share of its rows in a thumbnail of the default density.
    private static let rowsPerThumbnail = 5
    private static let shape = (columns: 10, rows: 3)
    private static let minColumns = 40
    /// The minimum columns of a screen for a preview, and its share of them.
    private static let fitsPreview = 100
    private static let previewShare = (part: 2, whole: 5)
    /// Rows of text under the picture of a preview, if it has that many.
    private static let previewText = 8

    init(screen: CellSize, preferences: Preferences, showsImages: Bool, margins: ThemeMargins = ThemeMargins()) {
        if preferences.arrangement == .grid, showsImages {
            self.init(gridOn: screen, preferences, margins)
        } else {
            self.init(listOn: screen, preferences, showsImages: showsImages, margins)
        }
    }

    private init(listOn screen: CellSize, _ preferences: Preferences, showsImages: Bool, _ margins: ThemeMargins) {
        inner = Self.inner(of: screen, margins)
        leading = min(margins.leading(on: screen.columns), 1)
        let level = min(max(preferences.density, 0), Self.densities.count - 1)
        preview = level == 0 && showsImages && screen.columns >= Self.fitsPreview ? Self.preview(in: inner) : nil
        var area = FrameRows.content(of: screen)
        if let preview { area.columns = preview.area.column - 1 }
        self.area = area
        columns = 1
        itemColumns = area.columns
        let wanted = Self.thumbnailRows(density: level, on: screen)
        guard wanted > 0 else {
            thumbnail = nil
            itemRows = 1
            return
        }
        let maxHeight = max(area.rows - 1, 1)
        let height = min(wanted, maxHeight)
        let width = min(height * Self.shape.columns / Self.shape.rows, area.columns * 2 / 5)
        let isNarrow = area.columns < Self.minColumns || !showsImages
        thumbnail = isNarrow || height < 2 ? nil : CellSize(clamping: width, height)
        let rows = thumbnail?.rows ?? min(Self.textRows[level], maxHeight)
        itemRows = min(rows + 1, max(area.rows, 1))
    }

    static func inner(of screen: CellSize, _ margins: ThemeMargins) -> CellArea {
        let margin = margins.leading(on: screen.columns)
        return FrameRows.content(of: screen).inset(left: margin, right: max(margin - 1, 0))
    }

    static func thumbnailRows(density level: Int, on screen: CellSize) -> Int {
        let standard = densities[defaultDensity]
        return densities[level] * max(screen.rows / rowsPerThumbnail, standard) / standard
    }

    private static func preview(in inner: CellArea) -> Preview {
        let columns = inner.columns * previewShare.part / previewShare.whole
        let area = inner.inset(left: inner.columns - columns)
        let height = max(area.rows - previewText, area.rows * 3 / 5, 1)
        return Preview(picture: CellSize(clamping: columns, height), area: area)
    }

    /// Rows of items that are partly and wholly visible; at least one.
    var rowsInPart: Int { max((area.rows + itemRows - 1) / itemRows, 1) }
    var rowsWhole: Int { max(area.rows / itemRows, 1) }
    func row(of position: Int) -> Int { position / columns }
    func positions(from topRow: Int) -> Range<Int> { topRow * columns..<(topRow + rowsInPart) * columns }

    /// Returns the area of a visible item, which may reach below `area`.
    func area(of position: Int, from topRow: Int) -> CellArea? {
        guard positions(from: topRow).contains(position) else { return nil }
        return CellArea(
            column: isGrid ? gridColumn(of: position % columns) : area.column,
            row: area.row + (position / columns - topRow) * itemRows, columns: itemColumns, rows: itemRows)
    }
}

extension AppState {
    var geometry: ListGeometry {
        ListGeometry(
            screen: traits.size, preferences: preferences, showsImages: options.showsImages, margins: sheet.margins)
    }
}
