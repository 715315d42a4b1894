internal import SpyglassTerminalUI

/// Side by side on a wide screen, the image above on a narrow one; the view mirrors both for right-to-left.
struct DetailGeometry: Hashable, Sendable {
    let picture: CellArea?
    let text: CellArea?

    /// The minimum columns for text beside an image; the text then has at least 33.
    private static let wide = 90
    private static let readable = 76
    private static let gap = 2
    private static let lowestPicture = 3
    /// Columns after the text; the last has the scroll marks.
    static let marks = 2

    init(screen: CellSize, showsImages: Bool) {
        let rows = FrameRows.content(of: screen)
        let margin = screen.columns < 10 ? 0 : screen.columns < 40 ? 1 : 2
        let area = rows.inset(left: margin, right: screen.columns < 10 ? 0 : Self.marks)
        var picture = area
        var text = area
        if screen.columns >= Self.wide {
            picture.columns = max(area.columns * 3 / 5, area.columns - Self.readable - Self.gap)
            text = area.inset(left: picture.columns + Self.gap)
        } else {
            picture.rows = area.rows / 2
            text = area.inset(top: picture.rows)
        }
        if showsImages, picture.rows >= Self.lowestPicture {
            self.picture = picture
        } else {
            self.picture = nil
            text = area
            text.columns = min(area.columns, Self.readable)
        }
        self.text = text.isEmpty ? nil : text
    }

    var isBeside: Bool { picture?.row == text?.row }

    var box: CellSize? { picture.map { CellSize(clamping: $0.columns, $0.rows) } }
}

/// The rows of header, footer and, if there is room, a blank row below the header.
enum FrameRows {
    private static let minRows = 5
    /// The minimum rows for the blank row: those of a standard terminal.
    private static let spacious = 24

    static func areShown(on screen: CellSize) -> Bool { screen.rows >= minRows }

    static func content(of screen: CellSize) -> CellArea {
        guard areShown(on: screen) else { return CellArea(screen) }
        return CellArea(screen).inset(top: screen.rows >= spacious ? 2 : 1, bottom: 1)
    }
}
