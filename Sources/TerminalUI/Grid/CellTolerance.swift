/// Whether what is on the screen will do for what is wanted.
///
/// Text must be exact. Where both are pictures, each half may be off by `tolerance` in every channel.
struct CellTolerance {
    let tolerance: UInt8

    @inline(__always)
    func suffices(_ shown: Cell, for wanted: Cell) -> Bool {
        shown == wanted || (tolerance > 0 && nearlyAlike(shown, wanted))
    }

    @inline(__always)
    func suffices(_ shown: CellColor, for wanted: CellColor) -> Bool {
        if shown == wanted { return true }
        guard tolerance > 0, shown.isRGB, wanted.isRGB else { return false }
        func isNear(_ shift: UInt32) -> Bool {
            let difference = Int32(shown.number >> shift & 0xFF) - Int32(wanted.number >> shift & 0xFF)
            return difference.magnitude <= UInt32(tolerance)
        }
        return isNear(16) && isNear(8) && isNear(0)
    }

    /// Whether the colours of a cell may be shown nearly: a picture's, and not in the terminal's own ink.
    @inline(__always)
    func isFree(_ cell: Cell) -> Bool {
        tolerance > 0 && cell.isPicture && cell.style.attributes.isEmpty
            && (cell.isBare || cell.style.foreground != .terminalDefault)
    }

    private func nearlyAlike(_ shown: Cell, _ wanted: Cell) -> Bool {
        guard isFree(shown), isFree(wanted) else { return false }
        return suffices(shown.top, for: wanted.top) && suffices(shown.bottom, for: wanted.bottom)
    }
}

extension Cell {
    /// The colour of the upper half of a picture's cell.
    var top: CellColor { scalar == Self.upperBlock ? style.foreground : style.background }
    /// The colour of the lower half of a picture's cell.
    var bottom: CellColor { scalar == Self.lowerBlock ? style.foreground : style.background }
}
