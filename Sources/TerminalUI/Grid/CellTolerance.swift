/// Accepts exact text, and image cells whose sub-pixels differ by at most `tolerance` a channel.
struct CellTolerance {
    let tolerance: UInt8

    @inline(__always)
    func accepts(_ shown: Cell, for wanted: Cell) -> Bool {
        shown == wanted || (tolerance > 0 && isNear(shown, wanted))
    }

    @inline(__always)
    func accepts(_ shown: CellColor, for wanted: CellColor) -> Bool {
        if shown == wanted { return true }
        guard tolerance > 0, shown.isRGB, wanted.isRGB else { return false }
        func isNear(_ shift: UInt32) -> Bool {
            let difference = Int32(shown.number >> shift & 0xFF) - Int32(wanted.number >> shift & 0xFF)
            return difference.magnitude <= UInt32(tolerance)
        }
        return isNear(16) && isNear(8) && isNear(0)
    }

    /// Whether the colours of a cell may be approximated: an image's, except the terminal's own foreground.
    @inline(__always)
    func allowsApproximation(_ cell: Cell) -> Bool {
        tolerance > 0 && cell.isImage && cell.style.attributes.isEmpty
            && (cell.isBare || cell.style.foreground != .terminalDefault)
    }

    private func isNear(_ shown: Cell, _ wanted: Cell) -> Bool {
        guard allowsApproximation(shown), allowsApproximation(wanted) else { return false }
        let isAlike = shown.scalar == wanted.scalar || shown.scalar == Cell.space || wanted.scalar == Cell.space
        if isAlike { return accepts(shown.inside, for: wanted.inside) && accepts(shown.outside, for: wanted.outside) }
        return SymbolTable.complement(of: shown.scalar) == wanted.scalar
            && accepts(shown.inside, for: wanted.outside) && accepts(shown.outside, for: wanted.inside)
    }
}
