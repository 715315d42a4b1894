internal import SpyglassTerminalUI

/// The rows of a screen that are not for photos: the header, the footer and, where there is room, a blank one below the header.
///
/// `update` and `view` ask the same, so that what is scrolled and clicked is what is seen.
enum FrameRows {
    /// On a lower screen all rows are needed for photos.
    private static let fewest = 5
    /// The height that terminals open with (DEC's VT100), from which on a row can be spared for looks.
    private static let spacious = 24

    /// Whether a screen has a header and a footer.
    static func areShown(on screen: CellSize) -> Bool { screen.rows >= fewest }

    /// What is left for photos and text.
    static func content(of screen: CellSize) -> CellArea {
        guard areShown(on: screen) else { return CellArea(screen) }
        return CellArea(screen).inset(top: screen.rows >= spacious ? 2 : 1, bottom: 1)
    }
}
