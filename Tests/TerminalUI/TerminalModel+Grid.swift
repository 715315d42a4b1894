import SpyglassTestSupport

@testable import SpyglassTerminalUI

extension TerminalModel {
    /// A terminal with this module's character widths, which also draws the symbols that divide a cell.
    init(size: CellSize) {
        self.init(columns: size.columns, rows: size.rows) { character in
            character.unicodeScalars.first.flatMap { SymbolShape($0) } != nil ? 1 : CharacterWidth.of(character)
        }
    }

    /// The first difference between the screen and a grid, or `nil`.
    ///
    /// Each half of an image's cell may differ by the tolerance in each channel.
    func difference(from grid: CellGrid, tolerance: Int = 0, usesColor: Bool = true) -> String? {
        if let fault = faults.first { return "fault: \(fault)" }
        guard columns == grid.size.columns, rows == grid.size.rows else { return "another size" }
        let cursor = grid.cursor.flatMap { grid.area.contains($0) ? $0 : nil }
        if isCursorShown != (cursor != nil) { return "the cursor is shown: \(isCursorShown)" }
        if let cursor, (cursor.row, cursor.column) != self.cursor { return "the cursor is at \(self.cursor)" }
        for (at, wanted) in grid.cells.enumerated() {
            let shown = cells[at]
            let text = grid.string(of: wanted)
            let isSame =
                !usesColor
                ? shown.text == text && shown.look == .plain
                : CellTolerance(tolerance: UInt8(tolerance)).allowsApproximation(wanted.normalized)
                    ? shown.isNear(wanted, tolerance) : shown.text == text && shown.look.isLike(wanted)
            guard isSame || (wanted.isContinuation && shown.text.isEmpty) else {
                let place = "column \(at % columns), row \(at / columns)"
                return "\(place): \(shown) instead of \(text.debugDescription) \(wanted.style)"
            }
        }
        return nil
    }
}

extension TerminalModel.Look {
    /// Whether a cell looks like this.
    fileprivate func isLike(_ cell: Cell) -> Bool {
        let attributes = cell.style.attributes
        guard background == TerminalModel.Color(cell.style.background), isUnderlined == attributes.contains(.underline),
            isReversed == attributes.contains(.reverse)
        else { return false }
        if cell.isBare { return true }
        return foreground == TerminalModel.Color(cell.style.foreground) && isBold == attributes.contains(.bold)
            && isDim == attributes.contains(.dim)
    }
}

extension TerminalModel.Color {
    fileprivate init(_ color: CellColor) {
        if let channels = color.channels {
            self = .rgb(channels.red, channels.green, channels.blue)
        } else if let index = color.paletteIndex {
            self = .palette(Int(index))
        } else {
            self = .terminalDefault
        }
    }

    fileprivate func isNear(_ other: CellColor, _ tolerance: Int) -> Bool {
        guard case .rgb(let red, let green, let blue) = self, let channels = other.channels else {
            return self == TerminalModel.Color(other)
        }
        return abs(Int(red) - Int(channels.red)) <= tolerance && abs(Int(green) - Int(channels.green)) <= tolerance
            && abs(Int(blue) - Int(channels.blue)) <= tolerance
    }
}

extension TerminalModel.Cell {
    /// Whether each sub-pixel differs from an image's cell by the tolerance at most.
    fileprivate func isNear(_ wanted: Cell, _ tolerance: Int) -> Bool {
        guard !look.isReversed, !look.isUnderlined,
            let shape = text.unicodeScalars.first.flatMap({ SymbolShape($0) }),
            let wantedShape = Unicode.Scalar(wanted.scalar).flatMap({ SymbolShape($0) })
        else { return false }
        // The default foreground differs from the default background.
        guard text == " " || look.foreground != .terminalDefault else { return false }
        return zip(shape.filled, wantedShape.filled).allSatisfy { isFilled, isWantedFilled in
            (isFilled ? look.foreground : look.background)
                .isNear(isWantedFilled ? wanted.style.foreground : wanted.style.background, tolerance)
        }
    }
}
