import SpyglassTerminalUI

/// A size in cells, as `--cells` reads it: `80x24`, or with one free side `80x`, `80` or `x40`.
struct CellBox: Hashable, Sendable {
    /// `nil`: free.
    let columns: Int?
    /// `nil`: free.
    let rows: Int?

    init?(parsing text: String) {
        if let both = CellSize(parsing: text) {
            (columns, rows) = (both.columns, both.rows)
        } else if let one = CellSize(parsing: text + (text.hasSuffix("x") ? "1" : "x1")) {
            (columns, rows) = (one.columns, nil)
        } else if text.hasPrefix("x"), let one = CellSize(parsing: "1" + text) {
            (columns, rows) = (nil, one.rows)
        } else {
            return nil
        }
    }

    /// The size with its free side from `other`.
    func filled(from other: CellSize) -> CellSize { CellSize(clamping: columns ?? other.columns, rows ?? other.rows) }
}

extension CellBox: CustomStringConvertible {
    var description: String { "\(columns.map { "\($0)" } ?? "")x\(rows.map { "\($0)" } ?? "")" }
}

extension CellSize {
    /// The length of a free side.
    static let largest = CellSize(clamping: largestSide, largestSide)
}
