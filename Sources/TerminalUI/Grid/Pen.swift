/// What the terminal writes with: the state that SGR sets, and the shortest way to another one.
struct Pen: Equatable {
    private(set) var foreground = CellColor.terminalDefault
    private(set) var background = CellColor.terminalDefault
    private(set) var attributes: TextStyle.Attributes = []

    static let plain = Pen()
    private static let lines: TextStyle.Attributes = [.underline, .reverse]

    /// The most bytes of one change: `ESC [ 22;24;27;1;2;4;7;` and two colours of 17 bytes.
    static let maxChange = 2 + 9 + 8 + 2 * 17

    /// Whether a cell can be written without a change.
    @inline(__always)
    func suits(_ cell: Cell) -> Bool {
        if cell.isBare { return cell.style.background == background && attributes.isDisjoint(with: Self.lines) }
        return cell.style.foreground == foreground && cell.style.background == background
            && cell.style.attributes == attributes
    }

    /// Sends what differs, as one sequence.
    @inline(__always)
    mutating func change(for cell: Cell, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>) {
        guard !suits(cell) else { return }
        change(
            foreground: cell.isBare ? nil : cell.style.foreground, background: cell.style.background,
            attributes: cell.isBare ? attributes.subtracting(Self.lines) : cell.style.attributes, to: &cursor, decimal)
    }

    /// The terminal's own look.
    mutating func reset(_ cursor: inout ByteCursor) {
        guard self != .plain else { return }
        cursor.write(0x6D_5B1B, count: 3)  // ESC [ m
        self = .plain
    }

    /// Goes to new colours, of which the foreground is `nil` where no ink is seen.
    private mutating func change(
        foreground newForeground: CellColor?, background newBackground: CellColor,
        attributes newAttributes: TextStyle.Attributes, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>
    ) {
        let off = attributes.subtracting(newAttributes)
        let endsSomething =
            !off.isEmpty || (newBackground == .terminalDefault && background != .terminalDefault)
            || (newForeground == .terminalDefault && foreground != .terminalDefault)
        // A reset is shorter than ending things one by one, where it ends nothing that would be sent anew.
        let keepsNothing =
            (newForeground ?? .terminalDefault == .terminalDefault || newForeground != foreground)
            && (newBackground == .terminalDefault || newBackground != background)
            && (newForeground == nil || newAttributes.isDisjoint(with: attributes))
        if endsSomething, keepsNothing {
            let on = newForeground == nil ? [] : newAttributes
            if newForeground ?? .terminalDefault == .terminalDefault, newBackground == .terminalDefault, on.isEmpty {
                return reset(&cursor)
            }
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
            writeForeground(to: &cursor, decimal)
        }
        if newBackground != background {
            background = newBackground
            writeBackground(to: &cursor, decimal)
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
    private func writeForeground(to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>) {
        if foreground.isRGB {
            TruecolorScheme.writeForeground(foreground.ink, to: &cursor, decimal)
        } else if foreground == .terminalDefault {
            cursor.write(0x3B_3933, count: 3)  // 39;
        } else if foreground.ink.number < Self.ownColors {
            Palette16Scheme.writeForeground(foreground.ink, to: &cursor, decimal)
        } else {
            Palette256Scheme.writeForeground(foreground.ink, to: &cursor, decimal)
        }
    }

    @inline(__always)
    private func writeBackground(to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>) {
        if background.isRGB {
            TruecolorScheme.writeBackground(background.ink, to: &cursor, decimal)
        } else if background == .terminalDefault {
            cursor.write(0x3B_3934, count: 3)  // 49;
        } else if background.ink.number < Self.ownColors {
            Palette16Scheme.writeBackground(background.ink, to: &cursor, decimal)
        } else {
            Palette256Scheme.writeBackground(background.ink, to: &cursor, decimal)
        }
    }

    /// The palette's colours that have numbers of their own in SGR.
    private static let ownColors: UInt32 = 16
}

extension CellColor {
    /// The colour as the scheme that it belongs to names it: channels with red lowest, or an index.
    fileprivate var ink: ColorCode { ColorCode(number: isRGB ? number.byteSwapped >> 8 : number & 0xFF) }
}
