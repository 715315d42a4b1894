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
    ///
    /// Some nanoseconds a pixel; sixteen bytes a cell.
    public mutating func cells(of picture: PixelBuffer) -> CellImage {
        let rows = Self.rowCount(of: picture.size)
        var cells: [Cell] = []
        cells.reserveCapacity(rows * picture.size.width)
        for row in 0..<rows {
            switch depth {
            case .monochrome: appendRampCells(row, of: picture, to: &cells)
            case .palette16: appendCells(Palette16Scheme.self, row, of: picture, to: &cells)
            case .palette256: appendCells(Palette256Scheme.self, row, of: picture, to: &cells)
            case .truecolor: appendCells(TruecolorScheme.self, row, of: picture, to: &cells)
            }
        }
        return CellImage(columns: picture.size.width, rows: rows, cells: cells)
    }
}
