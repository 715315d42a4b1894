internal import SpyglassTerminalUI

/// Where the picture and the text of one photo stand; a pure function of the screen's size, for `update` and `view` alike.
///
/// Beside each other on a wide screen, the picture above on a narrow one. The first and the last line of the screen are the header
/// and the footer, as in `ListGeometry`. Right-to-left, the view mirrors both.
struct DetailGeometry: Hashable, Sendable {
    /// The box that the picture fits into; `nil` without pictures, and where there is no room for one.
    let picture: CellArea?
    /// Where the text is wrapped and scrolls; `nil` where there is no room beside the picture.
    let text: CellArea?

    /// From this many columns on, text beside a picture is at least 34 columns wide: half of what reads well.
    private static let wide = 90
    /// The longest line that reads well, after Bringhurst's 45 to 75 characters.
    private static let readable = 76
    /// The columns between a picture and its text.
    private static let gap = 2
    /// Rows of a picture that is still worth looking at.
    private static let lowestPicture = 3

    init(screen: CellSize, showsImages: Bool) {
        let hasFrame = screen.rows >= 5
        let area = CellArea(screen).inset(top: hasFrame ? 1 : 0, bottom: hasFrame ? 1 : 0)
        guard showsImages, area.rows >= Self.lowestPicture else {
            picture = nil
            text = CellArea(
                column: area.column, row: area.row, columns: min(area.columns, Self.readable), rows: area.rows)
            return
        }
        if area.columns >= Self.wide {
            let columns = max(area.columns * 3 / 5, area.columns - Self.readable - Self.gap)
            let left = columns + Self.gap
            picture = CellArea(column: area.column, row: area.row, columns: columns, rows: area.rows)
            text = CellArea(
                column: area.column + left, row: area.row, columns: area.columns - left, rows: area.rows)
        } else {
            let rows = max(area.rows / 2, 1)
            picture = CellArea(column: area.column, row: area.row, columns: area.columns, rows: rows)
            text = CellArea(column: area.column, row: area.row + rows, columns: area.columns, rows: area.rows - rows)
        }
    }

    /// The box of the picture, as its key has it.
    var box: CellSize? { picture.map { CellSize(clamping: $0.columns, $0.rows) } }
}
