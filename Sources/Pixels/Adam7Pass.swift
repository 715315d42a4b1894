/// One of the seven passes of an interlaced PNG: every n-th pixel of every m-th row (PNG specification, section 8.2).
package struct Adam7Pass: Hashable, Sendable {
    package static let all = [
        Adam7Pass(first: (0, 0), step: (8, 8)), Adam7Pass(first: (4, 0), step: (8, 8)),
        Adam7Pass(first: (0, 4), step: (4, 8)), Adam7Pass(first: (2, 0), step: (4, 4)),
        Adam7Pass(first: (0, 2), step: (2, 4)), Adam7Pass(first: (1, 0), step: (2, 2)),
        Adam7Pass(first: (0, 1), step: (1, 2)),
    ]

    /// Passes repeat in blocks of 8x8 pixels.
    package static let blockSide = 8

    package let firstColumn: Int
    package let firstRow: Int
    package let columnStep: Int
    package let rowStep: Int

    private init(first: (column: Int, row: Int), step: (column: Int, row: Int)) {
        (firstColumn, firstRow) = first
        (columnStep, rowStep) = step
    }

    /// May be 0.
    package func columns(of width: Int) -> Int { Self.count(width, from: firstColumn, by: columnStep) }
    package func rows(of height: Int) -> Int { Self.count(height, from: firstRow, by: rowStep) }

    private static func count(_ length: Int, from first: Int, by step: Int) -> Int {
        length > first ? (length - first - 1) / step + 1 : 0
    }
}
