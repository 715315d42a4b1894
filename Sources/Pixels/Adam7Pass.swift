/// One of the seven passes of an interlaced PNG: every n-th pixel of every m-th row (PNG specification, section 8.2).
///
///     for pass in Adam7Pass.all where pass.holdsPixels(of: size) { ... }
package struct Adam7Pass: Hashable, Sendable {
    /// The passes in file order.
    package static let all = [
        Adam7Pass(first: (0, 0), step: (8, 8)), Adam7Pass(first: (4, 0), step: (8, 8)),
        Adam7Pass(first: (0, 4), step: (4, 8)), Adam7Pass(first: (2, 0), step: (4, 4)),
        Adam7Pass(first: (0, 2), step: (2, 4)), Adam7Pass(first: (1, 0), step: (2, 2)),
        Adam7Pass(first: (0, 1), step: (1, 2)),
    ]

    /// The image column of its first column.
    package let firstColumn: Int
    /// The image row of its first row.
    package let firstRow: Int
    /// Image columns between its columns.
    package let columnStep: Int
    /// Image rows between its rows.
    package let rowStep: Int

    private init(first: (column: Int, row: Int), step: (column: Int, row: Int)) {
        (firstColumn, firstRow) = first
        (columnStep, rowStep) = step
    }

    /// Its columns in an image of this width; may be 0.
    package func columns(of width: Int) -> Int { Self.count(width, from: firstColumn, by: columnStep) }

    /// Its rows in an image of this height; may be 0.
    package func rows(of height: Int) -> Int { Self.count(height, from: firstRow, by: rowStep) }

    package func holdsPixels(of size: PixelSize) -> Bool { columns(of: size.width) > 0 && rows(of: size.height) > 0 }

    /// Width of the block that a pixel represents until a finer pass arrives: a pass that starts inside earlier blocks
    /// halves them, horizontally or else vertically.
    var blockWidth: Int { firstColumn > 0 ? firstColumn : columnStep }
    var blockHeight: Int { firstRow > 0 ? firstRow : rowStep }

    private static func count(_ length: Int, from first: Int, by step: Int) -> Int {
        length > first ? (length - first - 1) / step + 1 : 0
    }
}
