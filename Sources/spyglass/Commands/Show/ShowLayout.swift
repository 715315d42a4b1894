import SpyglassTerminalUI

/// The cells that `show` gives to each image: alone, or several beside each other with `--grid`.
struct ShowLayout: Sendable {
    /// Images beside each other.
    let columns: Int
    /// The largest image.
    let imageBox: CellSize
    /// The columns of a caption; a longer one is truncated.
    let captionColumns: Int
    /// Whether an empty line separates several images.
    let separates: Bool

    private static let gap = 2

    init(_ settings: Settings) {
        let terminal = settings.terminal
        let screen = terminal.size.value
        // The screen holds the rest of a grid in further rows.
        let isBounded = terminal.isTerminal || settings.cells == nil
        let most = isBounded ? max((screen.columns + Self.gap) / (1 + Self.gap), 1) : .max
        columns = min(settings.grid ?? 1, most)
        separates = terminal.isTerminal
        let share = max((screen.columns - Self.gap * (columns - 1)) / columns, 1)
        var box = CellSize(clamping: share, terminal.drawingBox.rows - (settings.caption == nil ? 0 : 1))
        if let cells = settings.cells {
            let isOpen = !terminal.isTerminal && columns == 1
            box = cells.filled(from: isOpen ? .largest : CellSize(clamping: share, CellSize.largestSide))
            if terminal.isTerminal, columns > 1 { box = CellSize(clamping: min(box.columns, share), box.rows) }
        }
        // A pixel protocol moves the cursor up to the first row, which must still be on the screen.
        if terminal.isTerminal, settings.pixels.value.symbols == nil {
            box = CellSize(clamping: box.columns, min(box.rows, terminal.drawingBox.rows))
        }
        imageBox = box
        captionColumns = columns > 1 ? box.columns : screen.columns
    }

    /// The first column of the image at an index of its row.
    func column(of index: Int) -> Int { index * (imageBox.columns + Self.gap) }
}
