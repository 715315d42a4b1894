/// Where the cells of a picture's row go, one after another: to bytes of a stream or to the cells of a grid.
protocol HalfBlockSink {
    associatedtype Scheme: ColorScheme
    /// A cell of one colour.
    mutating func space(on ink: ColorCode)
    /// `▀`.
    mutating func upperBlock(_ ink: ColorCode, on background: ColorCode)
    /// `▄`.
    mutating func lowerBlock(_ ink: ColorCode, on background: ColorCode)
}

/// UTF-8 of the glyphs, packed with the first byte lowest.
enum Block {
    static let upper: UInt64 = 0x80_96E2  // ▀ U+2580
    static let lower: UInt64 = 0x84_96E2  // ▄ U+2584
    static let count = 3
}

/// Cells as SGR and glyphs; a colour that is set is not sent again.
///
/// Who makes one has made the memory of its cursor large enough.
struct SGRSink<Scheme: ColorScheme>: HalfBlockSink {
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
    mutating func space(on ink: ColorCode) {
        set(foreground, ink)
        cursor.write(UInt64(UInt8(ascii: " ")), count: 1)
    }

    @inline(__always)
    mutating func upperBlock(_ ink: ColorCode, on background: ColorCode) {
        set(ink, background)
        cursor.write(Block.upper, count: Block.count)
    }

    @inline(__always)
    mutating func lowerBlock(_ ink: ColorCode, on background: ColorCode) {
        set(ink, background)
        cursor.write(Block.lower, count: Block.count)
    }

    /// Sends what differs from what is set, as one sequence.
    @inline(__always)
    private mutating func set(_ newForeground: ColorCode, _ newBackground: ColorCode) {
        guard newForeground != foreground || newBackground != background else { return }
        cursor.write(0x5B1B, count: 2)  // ESC [
        if newForeground != foreground {
            foreground = newForeground
            Scheme.writeForeground(newForeground, to: &cursor, decimal)
        }
        if newBackground != background {
            background = newBackground
            if newBackground == ColorCode.terminalDefault {
                cursor.write(0x3B_3934, count: 3)  // 49;
            } else {
                Scheme.writeBackground(newBackground, to: &cursor, decimal)
            }
        }
        cursor.endSGR()
    }
}

/// Cells as they stand in a grid.
struct CellSink<Scheme: ColorScheme>: HalfBlockSink {
    private(set) var cells: [Cell]

    init(cells: [Cell]) {
        self.cells = cells
    }

    mutating func space(on ink: ColorCode) {
        append(Cell.space, CellStyle(background: color(ink)))
    }

    mutating func upperBlock(_ ink: ColorCode, on background: ColorCode) {
        append(Cell.upperBlock, CellStyle(foreground: color(ink), background: color(background)))
    }

    mutating func lowerBlock(_ ink: ColorCode, on background: ColorCode) {
        append(Cell.lowerBlock, CellStyle(foreground: color(ink), background: color(background)))
    }

    private mutating func append(_ glyph: UInt32, _ style: CellStyle) {
        cells.append(Cell(glyph: glyph | Cell.pictureBit, style: style))
    }

    private func color(_ ink: ColorCode) -> CellColor {
        ink == ColorCode.terminalDefault ? .terminalDefault : Scheme.color(ink)
    }
}
