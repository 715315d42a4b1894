/// One of the seven passes of an interlaced PNG: every so manieth pixel of every so manieth row (PNG specification, section 8.2).
///
///     for pass in Adam7Pass.all where pass.holdsPixels(of: size) { ... }
public struct Adam7Pass: Hashable, Sendable {
    /// The passes in the order in which they come.
    public static let all = [
        Adam7Pass(first: (0, 0), step: (8, 8)), Adam7Pass(first: (4, 0), step: (8, 8)),
        Adam7Pass(first: (0, 4), step: (4, 8)), Adam7Pass(first: (2, 0), step: (4, 4)),
        Adam7Pass(first: (0, 2), step: (2, 4)), Adam7Pass(first: (1, 0), step: (2, 2)),
        Adam7Pass(first: (0, 1), step: (1, 2)),
    ]

    /// The column of the picture that its first column is.
    public let firstColumn: Int
    /// The row of the picture that its first row is.
    public let firstRow: Int
    /// Columns of the picture from one of its columns to the next.
    public let columnStep: Int
    /// Rows of the picture from one of its rows to the next.
    public let rowStep: Int

    private init(first: (column: Int, row: Int), step: (column: Int, row: Int)) {
        (firstColumn, firstRow) = first
        (columnStep, rowStep) = step
    }

    /// Columns that it has of a picture `width` pixels wide; none of a narrow one, perhaps.
    public func columns(of width: Int) -> Int { Self.count(width, from: firstColumn, by: columnStep) }

    /// Rows that it has of a picture `height` pixels high; none of a low one, perhaps.
    public func rows(of height: Int) -> Int { Self.count(height, from: firstRow, by: rowStep) }

    /// Whether it has any pixel of a picture.
    public func holdsPixels(of size: PixelSize) -> Bool { columns(of: size.width) > 0 && rows(of: size.height) > 0 }

    /// Width of the block that a pixel stands for until a finer pass comes: a pass that starts within the blocks of those before
    /// halves them across, or else down.
    var blockWidth: Int { firstColumn > 0 ? firstColumn : columnStep }
    /// Height of that block.
    var blockHeight: Int { firstRow > 0 ? firstRow : rowStep }

    private static func count(_ length: Int, from first: Int, by step: Int) -> Int {
        length > first ? (length - first - 1) / step + 1 : 0
    }
}
