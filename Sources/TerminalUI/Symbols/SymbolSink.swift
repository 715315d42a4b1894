/// Receives the cells of one image row from left to right: as bytes of a stream or as cells of a grid.
protocol SymbolSink {
    associatedtype Scheme: ColorScheme
    /// The current foreground; `unknown` at the start of a row.
    var foreground: ColorCode { get }
    /// The current background; `unknown` at the start of a row.
    var background: ColorCode { get }
    mutating func space(on color: ColorCode)
    mutating func put(_ glyph: UInt32, _ color: ColorCode, on background: ColorCode)
}

extension SymbolSink {
    /// Puts a character or its complement with swapped colours, whichever keeps more of the current colours.
    ///
    /// One of them may be 0: it is not used.
    @inline(__always)
    mutating func put(_ glyph: UInt32, _ inside: ColorCode, orElse complement: UInt32, _ outside: ColorCode) {
        if inside == outside { return space(on: outside) }
        let kept = (inside == foreground ? 1 : 0) + (outside == background ? 1 : 0)
        let swappedKept = (outside == foreground ? 1 : 0) + (inside == background ? 1 : 0)
        if glyph == 0 || (complement != 0 && swappedKept > kept) {
            put(complement, outside, on: inside)
        } else {
            put(glyph, inside, on: outside)
        }
    }
}

/// Writes cells as SGR and glyphs, without repeating colours; the cursor needs capacity for the row.
struct SGRSink<Scheme: ColorScheme>: SymbolSink {
    private(set) var cursor: ByteCursor
    private let decimal: UnsafePointer<UInt32>
    private(set) var foreground = ColorCode.unknown
    private(set) var background = ColorCode.unknown

    @inline(__always)
    init(cursor: ByteCursor, decimal: UnsafePointer<UInt32>) {
        self.cursor = cursor
        self.decimal = decimal
    }

    @inline(__always)
    mutating func space(on color: ColorCode) {
        set(foreground, color)
        cursor.write(UInt64(UInt8(ascii: " ")), count: 1)
    }

    @inline(__always)
    mutating func put(_ glyph: UInt32, _ color: ColorCode, on background: ColorCode) {
        set(color, background)
        cursor.write(scalar: glyph)
    }

    @inline(__always)
    private mutating func set(_ newForeground: ColorCode, _ newBackground: ColorCode) {
        guard newForeground != foreground || newBackground != background else { return }
        cursor.write(0x5B1B, count: 2)  // ESC [
        if newForeground != foreground {
            foreground = newForeground
            Scheme.write(newForeground, .foreground, to: &cursor, decimal)
        }
        if newBackground != background {
            background = newBackground
            if newBackground == ColorCode.terminalDefault {
                cursor.write(0x3B_3934, count: 3)  // 49;
            } else {
                Scheme.write(newBackground, .background, to: &cursor, decimal)
            }
        }
        cursor.endSGR()
    }
}

/// Collects cells for a grid.
struct CellSink<Scheme: ColorScheme>: SymbolSink {
    private(set) var cells: [Cell]
    private(set) var foreground = ColorCode.unknown
    private(set) var background = ColorCode.unknown

    init(cells: [Cell]) { self.cells = cells }

    mutating func space(on color: ColorCode) {
        background = color
        append(Cell.space, CellStyle(background: cellColor(color)))
    }

    mutating func put(_ glyph: UInt32, _ color: ColorCode, on background: ColorCode) {
        foreground = color
        self.background = background
        append(glyph, CellStyle(foreground: cellColor(color), background: cellColor(background)))
    }

    private mutating func append(_ glyph: UInt32, _ style: CellStyle) {
        cells.append(Cell(glyph: glyph | Cell.imageBit, style: style))
    }

    private func cellColor(_ code: ColorCode) -> CellColor {
        code == ColorCode.terminalDefault ? .terminalDefault : Scheme.color(code)
    }
}
