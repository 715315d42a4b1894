/// Mouse reports in the SGR form (DEC mode 1006): `CSI < button ; column ; row M`, or `m` for a button that goes up.
extension ControlSequence {
    /// The event; `nothing` for a mouse that moves with no button down, buttons beyond the third, and places on no screen.
    var mouse: Meaning {
        let isRelease = final == UInt8(ascii: "m")
        guard isRelease || final == UInt8(ascii: "M"), intermediate == nil, count == 3, let bits = number(0),
            let column = number(1), let row = number(2)
        else { return .unknown }
        guard Self.positions.contains(column), Self.positions.contains(row),
            let kind = MouseEvent.Kind(bits, isRelease: isRelease)
        else { return .nothing }
        var modifiers: Key.Modifiers = []
        if bits & 4 != 0 { modifiers.insert(.shift) }
        if bits & 8 != 0 { modifiers.insert(.alt) }
        if bits & 16 != 0 { modifiers.insert(.control) }
        let position = CellPosition(column: column - 1, row: row - 1)
        return .event(.mouse(MouseEvent(kind, at: position, modifiers)))
    }

    /// What the kernel's `winsize` can hold.
    private static let positions = 1...Int(UInt16.max)
}

extension MouseEvent.Kind {
    /// What the bits say (xterm's ctlseqs, "Mouse Tracking").
    fileprivate init?(_ bits: Int, isRelease: Bool) {
        let motion = 32
        let wheel = 64
        let number = bits & 3
        guard bits < 2 * wheel else { return nil }
        if bits & wheel != 0 {
            guard !isRelease, bits & motion == 0 else { return nil }
            self = [.wheelUp, .wheelDown, .wheelLeft, .wheelRight][number]
            return
        }
        guard number < 3 else { return nil }
        let button = [MouseEvent.Button.left, .middle, .right][number]
        self = isRelease ? .release(button) : bits & motion != 0 ? .drag(button) : .press(button)
    }
}
