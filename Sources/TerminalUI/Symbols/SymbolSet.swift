package import SpyglassPixels

/// The characters that divide a cell into sub-pixels of two colours.
///
///     let box = SymbolSet.octant.pixelBox(for: CellSize(clamping: 60, 30))  // 120x120
package enum SymbolSet: String, Hashable, Sendable, CaseIterable {
    /// One by two: `▀` and `▄`, in every font.
    case half
    /// Two by two: `▚` and the like (U+2596 to U+259F).
    case quadrant
    /// Two by three (Unicode 13, U+1FB00 to U+1FB3B).
    case sextant
    /// Two by four (Unicode 16, U+1CD00 to U+1CDE5).
    case octant

    /// Sub-pixels of a cell.
    package var grid: PixelSize { PixelSize(width: width, height: height) }

    var width: Int { self == .half ? 1 : 2 }

    var height: Int {
        switch self {
        case .half, .quadrant: 2
        case .sextant: 3
        case .octant: 4
        }
    }

    /// Returns the sub-pixels of a box of cells.
    package func pixelBox(for cells: CellSize) -> PixelSize {
        PixelSize(width: cells.columns * width, height: cells.rows * height)
    }

    /// Returns the columns of cells of an image; the last one may be incomplete.
    package func columnCount(of size: PixelSize) -> Int { (size.width + width - 1) / width }

    /// Returns the rows of cells of an image; the last one may be incomplete.
    package func rowCount(of size: PixelSize) -> Int { (size.height + height - 1) / height }

    /// Returns the width by the height of one sub-pixel in cells of this shape.
    package func pixelAspect(of cell: CellAspect) -> Double {
        Double(cell.width * height) / Double(cell.height * width)
    }
}
