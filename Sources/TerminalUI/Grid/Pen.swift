/// The SGR state of the terminal, and the shortest sequence to another state.
struct Pen: Equatable {
    private var foreground = CellColor.terminalDefault
    private var background = CellColor.terminalDefault
    private var attributes: TextStyle.Attributes = []
    static let plain = Pen()
    private static let lines: TextStyle.Attributes = [.underline, .reverse]

    func matches(_ cell: Cell) -> Bool {
        if cell.isBare { return cell.style.background == background && attributes.isDisjoint(with: Self.lines) }
        return cell.style.foreground == foreground && cell.style.background == background
            && cell.style.attributes == attributes
    }

    mutating func change(for cell: Cell, to bytes: inout [UInt8]) {
        guard !matches(cell) else { return }
        change(
            foreground: cell.isBare ? nil : cell.style.foreground, background: cell.style.background,
            attributes: cell.isBare ? attributes.subtracting(Self.lines) : cell.style.attributes, to: &bytes)
    }

    mutating func reset(_ bytes: inout [UInt8]) {
        guard self != .plain else { return }
        bytes.append("\u{1B}[m" as StaticString)
        self = .plain
    }

    /// Changes the colours; the foreground is `nil` where it is invisible.
    private mutating func change(
        foreground newForeground: CellColor?, background newBackground: CellColor,
        attributes newAttributes: TextStyle.Attributes, to bytes: inout [UInt8]
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
        bytes.append(SGR.introducer)
        if endsSomething, keepsNothing {
            let on = newForeground == nil ? [] : newAttributes
            self = .plain
            if wanted == .terminalDefault, newBackground == .terminalDefault, on.isEmpty {
                return bytes.append(UInt8(ascii: "m"))
            }
            bytes.append(parameter: 0)
            begin(on, to: &bytes)
        } else {
            end(off, to: &bytes)
            // Bold and dim end together.
            begin(newAttributes.subtracting(attributes), to: &bytes)
        }
        if let newForeground, newForeground != foreground {
            foreground = newForeground
            bytes.append(foreground: newForeground)
        }
        if newBackground != background {
            background = newBackground
            bytes.append(background: newBackground)
        }
        bytes.endSGR()
    }

    private mutating func end(_ off: TextStyle.Attributes, to bytes: inout [UInt8]) {
        if !off.isDisjoint(with: [.bold, .dim]) {
            bytes.append(parameter: 22)
            attributes.subtract([.bold, .dim])
        }
        if off.contains(.underline) { bytes.append(parameter: 24) }
        if off.contains(.reverse) { bytes.append(parameter: 27) }
        attributes.subtract(off)
    }

    private mutating func begin(_ on: TextStyle.Attributes, to bytes: inout [UInt8]) {
        bytes.append(on)
        attributes.formUnion(on)
    }
}

extension [UInt8] {
    /// A parameter of SGR and a semicolon.
    mutating func append(parameter number: Int) {
        append(number: number)
        append(UInt8(ascii: ";"))
    }

    mutating func append(_ attributes: TextStyle.Attributes) {
        if attributes.contains(.bold) { append(parameter: 1) }
        if attributes.contains(.dim) { append(parameter: 2) }
        if attributes.contains(.underline) { append(parameter: 4) }
        if attributes.contains(.reverse) { append(parameter: 7) }
    }

    mutating func append(foreground color: CellColor) { append(color, 30) }
    mutating func append(background color: CellColor) { append(color, 40) }

    /// The last semicolon becomes the final byte.
    mutating func endSGR() { self[count - 1] = UInt8(ascii: "m") }

    private mutating func append(_ color: CellColor, _ base: Int) {
        if let channels = color.channels {
            append(parameter: base + 8)
            // Every terminal understands the semicolon form (termstandard/colors).
            append(parameter: 2)
            append(parameter: Int(channels.red))
            append(parameter: Int(channels.green))
            append(parameter: Int(channels.blue))
        } else if let index = color.paletteIndex.map({ Int($0) }), index >= 16 {
            append(parameter: base + 8)
            append(parameter: 5)
            append(parameter: index)
        } else if let index = color.paletteIndex.map({ Int($0) }) {
            append(parameter: index < 8 ? base + index : base + 60 + index - 8)
        } else {
            append(parameter: base + 9)
        }
    }
}
