import SpyglassPixels
import SpyglassTerminalUI

/// The layout of a list: the image on the left, its text on the right.
///
/// The box is a third as high as wide, so that a 3:2 photograph fills it. On a narrow screen the text is below the
/// image. The last column stays empty: some terminals wrap there.
struct ListLayout: Sendable {
    let imageBox: CellSize
    let textColumns: Int
    let hasImages: Bool
    let isStacked: Bool

    static let gap = 2
    /// Screens with fewer columns have no room for text beside an image.
    private static let minColumns = 50
    /// Columns of an image beside text; its height is at most half of the screen, so that several items are visible.
    private static let imageColumns = 18...60
    private static let maxTextColumns = 72

    /// A layout for a screen of this size; without images, text takes its full width.
    init(screen: CellSize, hasImages: Bool = true) {
        self.hasImages = hasImages
        let usable = max(screen.columns - 1, 1)
        let maxRows = max(screen.rows / 2, 3)
        isStacked = screen.columns < Self.minColumns
        if isStacked {
            // Nothing is beside the image, so a square one may fill its box.
            let columns = min(usable, Self.minColumns / 2, 2 * maxRows)
            imageBox = CellSize(clamping: columns, columns / 2)
        } else {
            let preferred = max(screen.columns * 7 / 20, usable - Self.gap - Self.maxTextColumns)
            let columns = min(max(preferred, Self.imageColumns.lowerBound), Self.imageColumns.upperBound, 3 * maxRows)
            imageBox = CellSize(clamping: columns, columns / 3)
        }
        textColumns =
            isStacked || !hasImages ? usable : max(min(usable - imageBox.columns - Self.gap, Self.maxTextColumns), 1)
    }

    /// The size of images, as they are drawn.
    func target(_ drawing: ImageRenderer.Options) -> TargetSize {
        TargetSize(box: drawing.pixelBox(for: imageBox), pixelAspect: drawing.pixelAspect)
    }
}
