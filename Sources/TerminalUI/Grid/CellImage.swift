public import SpyglassPixels

/// A picture as cells, ready to be put into a grid.
///
///     let image = blocks.cells(of: thumbnail)
public struct CellImage: Hashable, Sendable {
    /// Cells across.
    public let columns: Int
    /// Cells down.
    public let rows: Int
    /// The cells, row by row.
    let cells: [Cell]

    init(columns: Int, rows: Int, cells: [Cell]) {
        self.columns = columns
        self.rows = rows
        self.cells = cells
    }
}

extension HalfBlock {
    /// A whole picture as cells: those that `encode` would write.
    public mutating func cells(of picture: PixelBuffer) -> CellImage {
        // The painter's part replaces this.
        let rows = Self.rowCount(of: picture.size)
        let columns = picture.size.width
        var cells: [Cell] = []
        for row in 0..<rows {
            for column in 0..<columns {
                let top = picture[column, 2 * row]
                let bottom = 2 * row + 1 < picture.size.height ? picture[column, 2 * row + 1] : RGBA(0, 0, 0, 0)
                let style = CellStyle(
                    foreground: .rgb(RGB(top.red, top.green, top.blue)),
                    background: bottom.alpha == 0 ? .standard : .rgb(RGB(bottom.red, bottom.green, bottom.blue)))
                cells.append(Cell("▀", style))
            }
        }
        return CellImage(columns: columns, rows: rows, cells: cells)
    }
}
