/// The SGR state of the terminal, and the shortest sequence to another state.
struct Pen: Equatable {
    private(set) var foreground = CellColor.terminalDefault
    private(set) var background = CellColor.terminalDefault
    private(set) var attributes: TextStyle.Attributes = []
    static let plain = Pen()
    private static let lines: TextStyle.Attributes = [.underline, .reverse]
    /// The maximum number of bytes of a change: `ESC [ 22;24;27;1;2;4;7;` and two colours of 17 bytes.
    static let maxChange = 2 + 9 + 8 + 2 * 17

    @inline(__always)
    func matches(_ cell: Cell) -> Bool {
        if cell.isBare { return cell.style.background == background && attributes.isDisjoint(with: Self.lines) }
        return cell.style.foreground == foreground && cell.style.background == background
            && cell.style.attributes == attributes
    }

    @inline(__always)
    mutating func change(for cell: Cell, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>) {
        guard !matches(cell) else { return }
        change(
            foreground: cell.isBare ? nil : cell.style.foreground, background: cell.style.background,
            attributes: cell.isBare ? attributes.subtracting(Self.lines) : cell.style.attributes, to: &cursor, decimal)
    }

    mutating func reset(_ cursor: inout ByteCursor) {
        guard self != .plain else { return }
        cursor.write(0x6D_5B1B, count: 3)  // ESC [ m
        self = .plain
    }

    /// Changes the colours; the foreground is `nil` where it is invisible.
    private mutating func change(
        foreground newForeground: CellColor?, background newBackground: CellColor,
        attributes newAttributes: TextStyle.Attributes, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>
    ) {
        let wanted = newForeground ?? .terminalDefault
        let off = attributes.subtracting(newAttributes)
        let endsSomething =
            !off.isEmpty || (newBackground == .terminalDefault && background != .terminalDefault)
            || (newForeground == .terminalDefault && foreground != .terminalDefault)
        // A reset is shorter than single ends, if nothing that it ends is sent again.
        let keepsNothing =
            (wanted == .terminalDefault || wanted != foreground)
            && (newBackground == .terminalDefault || newBackground != background)
            && (newForeground == nil || newAttributes.isDisjoint(with: attributes))
        if endsSomething, keepsNothing {
            let on = newForeground == nil ? [] : newAttributes
            if wanted == .terminalDefault, newBackground == .terminalDefault, on.isEmpty { return reset(&cursor) }
            cursor.write(0x3B_305B1B, count: 4)  // ESC [ 0 ;
            self = .plain
            begin(on, to: &cursor)
        } else {
            cursor.write(0x5B1B, count: 2)  // ESC [
            end(off, to: &cursor)
            // Bold and dim end together.
            begin(newAttributes.subtracting(attributes), to: &cursor)
        }
        if let newForeground, newForeground != foreground {
            foreground = newForeground
            write(newForeground, .foreground, to: &cursor, decimal)
        }
        if newBackground != background {
            background = newBackground
            write(newBackground, .background, to: &cursor, decimal)
        }
        cursor.endSGR()
    }

    private mutating func end(_ off: TextStyle.Attributes, to cursor: inout ByteCursor) {
        if !off.isDisjoint(with: [.bold, .dim]) {
            cursor.write(0x3B_3232, count: 3)  // 22;
            attributes.subtract([.bold, .dim])
        }
        if off.contains(.underline) { cursor.write(0x3B_3432, count: 3) }  // 24;
        if off.contains(.reverse) { cursor.write(0x3B_3732, count: 3) }  // 27;
        attributes.subtract(off)
    }

    private mutating func begin(_ on: TextStyle.Attributes, to cursor: inout ByteCursor) {
        if on.contains(.bold) { cursor.write(0x3B31, count: 2) }  // 1;
        if on.contains(.dim) { cursor.write(0x3B32, count: 2) }  // 2;
        if on.contains(.underline) { cursor.write(0x3B34, count: 2) }  // 4;
        if on.contains(.reverse) { cursor.write(0x3B37, count: 2) }  // 7;
        attributes.formUnion(on)
    }

    @inline(__always)
    private func write(
        _ color: CellColor, _ layer: ColorLayer, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>
    ) {
        let code = color.code
        if color.isRGB {
            TruecolorScheme.write(code, layer, to: &cursor, decimal)
        } else if color == .terminalDefault {
            cursor.write(0x3B_3933 + layer.digit, count: 3)  // 39; or 49;
        } else if code.number < 16 {
            Palette16Scheme.write(code, layer, to: &cursor, decimal)
        } else {
            Palette256Scheme.write(code, layer, to: &cursor, decimal)
        }
    }
}
