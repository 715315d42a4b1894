import SpyglassPixels
import SpyglassTerminalUI

/// How the items of a list stand on the screen: the picture at the left, what is known of it at the right.
///
/// A picture's place is seven twentieths of the screen wide, and on a wide screen all that a readable column of text leaves;
/// it is a third as high as wide, so that a 3:2 photograph fills it. On a screen too narrow for both, the text stands
/// below the picture. Nothing reaches the last column, where some terminals break the line at once.
struct ListLayout: Sendable {
    /// Columns and rows for a picture.
    let place: CellSize
    /// Columns for text.
    let textColumns: Int
    /// Whether there are pictures at all.
    let hasPictures: Bool
    /// Whether text stands below the picture.
    let isStacked: Bool

    /// Columns between picture and text.
    static let gap = 2
    /// Below this many columns neither a picture nor a line of text beside it would be worth looking at.
    private static let narrowest = 50
    /// A picture's place is neither narrower nor wider beside text, nor taller than half of the screen, so that several
    /// items are seen at once.
    private static let placeColumns = 18...60
    /// Columns of text that the eye follows from one line to the next; wider lines lose it.
    private static let readable = 72

    /// A layout for a screen of this size; without pictures, text has all of its width.
    init(screen: CellSize, hasPictures: Bool = true) {
        self.hasPictures = hasPictures
        let usable = max(screen.columns - 1, 1)
        let highest = max(screen.rows / 2, 3)
        isStacked = screen.columns < Self.narrowest
        if isStacked {
            // Nothing stands beside a picture, so that a square one may fill its place.
            let columns = min(usable, Self.narrowest / 2, 2 * highest)
            place = CellSize(clamping: columns, columns / 2)
        } else {
            let wanted = max(screen.columns * 7 / 20, usable - Self.gap - Self.readable)
            let columns = min(max(wanted, Self.placeColumns.lowerBound), Self.placeColumns.upperBound, 3 * highest)
            place = CellSize(clamping: columns, columns / 3)
        }
        textColumns =
            isStacked || !hasPictures ? usable : max(min(usable - place.columns - Self.gap, Self.readable), 1)
    }

    /// The box that a thumbnail fits into.
    func target(pixelAspect: Double) -> TargetSize {
        TargetSize(box: HalfBlock.pixelBox(for: place), pixelAspect: pixelAspect)
    }
}
