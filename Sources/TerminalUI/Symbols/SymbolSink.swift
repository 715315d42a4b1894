/// Receives the cells of one image row from left to right: as bytes of a stream or as cells of a grid.
protocol SymbolSink {
    associatedtype Scheme: ColorScheme
    mutating func space(on color: ColorCode)
    mutating func upperBlock(_ color: ColorCode, on background: ColorCode)
    mutating func lowerBlock(_ color: ColorCode, on background: ColorCode)
}

/// Writes cells as SGR and glyphs, without repeating colours; the cursor must have room for the row.
struct SGRSink<Scheme: ColorScheme>: SymbolSink {
    private(set) var cursor: ByteCursor
    private let decimal: UnsafePointer<UInt32>
    private var foreground = ColorCode.unknown
    private var background = ColorCode.unknown

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
    mutating func upperBlock(_ color: ColorCode, on background: ColorCode) {
        set(color, background)
        cursor.write(0x80_96E2, count: 3)  // ▀ U+2580 in UTF-8
    }

    @inline(__always)
    mutating func lowerBlock(_ color: ColorCode, on background: ColorCode) {
        set(color, background)
        cursor.write(0x84_96E2, count: 3)  // ▄ U+2584 in UTF-8
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

struct CellSink<Scheme: ColorScheme>: SymbolSink {
    private(set) var cells: [Cell]

    mutating func space(on color: ColorCode) { append(Cell.space, CellStyle(background: cellColor(color))) }

    mutating func upperBlock(_ color: ColorCode, on background: ColorCode) {
        append(Cell.upperBlock, CellStyle(foreground: cellColor(color), background: cellColor(background)))
    }

    mutating func lowerBlock(_ color: ColorCode, on background: ColorCode) {
        append(Cell.lowerBlock, CellStyle(foreground: cellColor(color), background: cellColor(background)))
    }

    private mutating func append(_ glyph: UInt32, _ style: CellStyle) {
        cells.append(Cell(glyph: glyph | Cell.imageBit, style: style))
    }

    private func cellColor(_ code: ColorCode) -> CellColor {
        code == ColorCode.terminalDefault ? .terminalDefault : Scheme.color(code)
    }
}
