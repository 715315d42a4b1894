/// The control sequences of a full screen, as ECMA-48, DEC's manuals and xterm's ctlseqs name them.
enum ScreenControl {
    /// DEC 2026: what follows is shown at once, when `endUpdate` comes.
    static let beginUpdate: StaticString = "\u{1B}[?2026h"
    static let endUpdate: StaticString = "\u{1B}[?2026l"
    /// DECTCEM.
    static let hideCursor: StaticString = "\u{1B}[?25l"
    static let showCursor: StaticString = "\u{1B}[?25h"
    /// DECSTBM without numbers: all rows scroll again, and the cursor goes to the upper left corner.
    static let wholeRegion: StaticString = "\u{1B}[r"
    /// ED: everything blank, on the background that is set.
    static let clear: StaticString = "\u{1B}[2J"
    /// EL: blank from the cursor to the end of the row, on the background that is set.
    static let clearToEnd: StaticString = "\u{1B}[K"
    /// DSR: the terminal answers when it has come here.
    static let statusRequest: StaticString = "\u{1B}[5n"
}

extension [UInt8] {
    /// Moves the rows of a region (DECSTBM, then SU or SD); what scrolls in is blank, where the cursor is nobody knows.
    ///
    /// The terminal's own colours must be set.
    mutating func append(_ move: ScrollMove, of rows: Int) {
        let isWhole = move.top == 0 && move.bottom == rows
        if !isWhole {
            append(SGR.introducer)
            append(decimal: move.top + 1)
            append(UInt8(ascii: ";"))
            append(decimal: move.bottom)
            append(UInt8(ascii: "r"))
        }
        append(SGR.introducer)
        if abs(move.distance) > 1 { append(decimal: abs(move.distance)) }
        append(move.distance > 0 ? UInt8(ascii: "S") : UInt8(ascii: "T"))
        if !isWhole { append(ScreenControl.wholeRegion) }
    }

    /// CUP.
    mutating func append(cursorTo position: CellPosition) {
        append(SGR.introducer)
        append(decimal: position.row + 1)
        if position.column > 0 {
            append(UInt8(ascii: ";"))
            append(decimal: position.column + 1)
        }
        append(UInt8(ascii: "H"))
    }

    private mutating func append(decimal number: Int) {
        append(contentsOf: String(number).utf8)
    }
}

extension ByteCursor {
    /// The most bytes that a move takes: `ESC [ 1000 ; 1000 H`.
    static let maxMove = 12

    /// CUP, with what may be left out left out.
    mutating func move(toRow row: Int, column: Int) {
        write(0x5B1B, count: 2)  // ESC [
        if row > 0 || column > 0 { write(number: row + 1) }
        if column > 0 {
            write(0x3B, count: 1)  // ;
            write(number: column + 1)
        }
        write(0x48, count: 1)  // H
    }

    /// CHA.
    mutating func move(toColumn column: Int) {
        write(0x5B1B, count: 2)  // ESC [
        if column > 0 { write(number: column + 1) }
        write(0x47, count: 1)  // G
    }

    /// CUF.
    mutating func moveRight(by columns: Int) {
        write(0x5B1B, count: 2)  // ESC [
        if columns > 1 { write(number: columns) }
        write(0x43, count: 1)  // C
    }

    /// How many digits a number of columns or rows has.
    static func digits(_ number: Int) -> Int { number < 10 ? 1 : number < 100 ? 2 : number < 1000 ? 3 : 4 }

    /// A number from 0 to 9999.
    private mutating func write(number: Int) {
        var rest = UInt64(number)
        var packed: UInt64 = 0
        for _ in 0..<Self.digits(number) {
            packed = packed << 8 | (0x30 + rest % 10)
            rest /= 10
        }
        write(packed, count: Self.digits(number))
    }

    /// A scalar in UTF-8, one to four bytes.
    @inline(__always)
    mutating func write(scalar value: UInt32) {
        let value = UInt64(value)
        switch value {
        case 0..<0x80: write(value, count: 1)
        case 0..<0x800: write(0x80C0 | value >> 6 | (value & 0x3F) << 8, count: 2)
        case 0..<0x1_0000:
            write(0x80_80E0 | value >> 12 | (value >> 6 & 0x3F) << 8 | (value & 0x3F) << 16, count: 3)
        default:
            let high = 0x80F0 | value >> 18 | (value >> 12 & 0x3F) << 8
            write(high | (0x8080 | value >> 6 & 0x3F | (value & 0x3F) << 8) << 16, count: 4)
        }
    }
}
