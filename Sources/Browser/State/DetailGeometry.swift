internal import SpyglassTerminalUI

/// Where the picture and the text of one photo stand; a pure function of the screen's size, for `update` and `view` alike.
///
/// Beside each other on a wide screen, the picture above on a narrow one. Right-to-left, the view mirrors both.
struct DetailGeometry: Hashable, Sendable {
    /// The box that the picture fits into; `nil` without pictures, and where there is no room for one.
    let picture: CellArea?
    /// Where the text is wrapped and scrolls, without the columns of the marks behind it; `nil` where there is no room for it.
    let text: CellArea?

    /// From this many columns on, the text beside a picture has 33 at least: half of what reads well.
    private static let wide = 90
    /// The longest line that reads well, after Bringhurst's 45 to 75 characters.
    private static let readable = 76
    /// The columns between a picture and its text.
    private static let gap = 2
    /// Rows of a picture that is still worth looking at.
    private static let lowestPicture = 3
    /// Columns behind the text, of which the last says that there is more.
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

    /// Whether the text stands beside the picture and begins in the same row.
    var isBeside: Bool { picture?.row == text?.row }

    /// The box of the picture, as its key has it.
    var box: CellSize? { picture.map { CellSize(clamping: $0.columns, $0.rows) } }
}
