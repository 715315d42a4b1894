/// A mouse event at a cell.
public struct MouseEvent: Hashable, Sendable {
    /// The kinds of mouse events.
    public enum Kind: Hashable, Sendable {
        /// A button went down.
        case press(Button)
        /// A button went up.
        case release(Button)
        /// The mouse moved while a button was down.
        case drag(Button)
        /// The wheel turned one step.
        case wheelUp, wheelDown, wheelLeft, wheelRight
    }

    /// A mouse button.
    public enum Button: Hashable, Sendable {
        /// The main button.
        case left
        /// The wheel.
        case middle
        /// The secondary button.
        case right
    }

    /// The kind of event.
    public var kind: Kind
    /// The cell, counted from 0.
    public var position: CellPosition
    /// The modifier keys that were down.
    public var modifiers: Key.Modifiers

    /// Creates an event.
    public init(_ kind: Kind, at position: CellPosition, _ modifiers: Key.Modifiers = []) {
        self.kind = kind
        self.position = position
        self.modifiers = modifiers
    }
}

/// SGR mouse reports (DEC mode 1006): `CSI < button ; column ; row M`, or `m` for a release.
extension ControlSequence {
    /// The event; `ignored` for motion without a button, other buttons, and impossible positions.
    var mouse: Meaning {
        let isRelease = final == UInt8(ascii: "m")
        guard isRelease || final == UInt8(ascii: "M"), intermediate == nil, count == 3, let bits = number(0),
            let column = number(1), let row = number(2)
        else { return .unknown }
        guard Self.positions.contains(column), Self.positions.contains(row),
            let kind = MouseEvent.Kind(bits, isRelease: isRelease)
        else { return .ignored }
        var modifiers: Key.Modifiers = []
        if bits & 4 != 0 { modifiers.insert(.shift) }
        if bits & 8 != 0 { modifiers.insert(.alt) }
        if bits & 16 != 0 { modifiers.insert(.control) }
        return .event(.mouse(MouseEvent(kind, at: CellPosition(column: column - 1, row: row - 1), modifiers)))
    }

    /// The range of the kernel's `winsize`.
    private static let positions = 1...Int(UInt16.max)
}

extension MouseEvent.Kind {
    /// Decodes the button bits (xterm's ctlseqs, "Mouse Tracking").
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
