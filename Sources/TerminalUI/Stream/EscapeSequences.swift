/// Select Graphic Rendition and the sequences of streams.
enum SGR {
    static let introducer: StaticString = "\u{1B}["
    static let reset: StaticString = "\u{1B}[0m"
    /// CAN and ST, which end an incomplete sequence or string and show nothing, and a reset.
    static let cancelAndReset: StaticString = "\u{18}\u{1B}\\\u{1B}[0m"
    /// CUD to the last row, and a newline.
    static let belowEverything: StaticString = "\u{1B}[999B\n"
    static let clearLine: StaticString = "\r\u{1B}[K"
    /// DECSC and DECRC.
    static let saveCursor: StaticString = "\u{1B}7"
    static let restoreCursor: StaticString = "\u{1B}8"
}

/// The control sequences of a full screen, as ECMA-48, DEC's manuals and xterm's ctlseqs name them.
enum ScreenControl {
    /// DEC 2026: the terminal shows what follows when `endUpdate` comes.
    static let beginUpdate: StaticString = "\u{1B}[?2026h"
    static let endUpdate: StaticString = "\u{1B}[?2026l"
    /// DECTCEM.
    static let hideCursor: StaticString = "\u{1B}[?25l"
    static let showCursor: StaticString = "\u{1B}[?25h"
    /// DECSTBM without numbers: all rows scroll, and the cursor moves to the upper left corner.
    static let resetRegion: StaticString = "\u{1B}[r"
    /// ED: clears the screen to the current background.
    static let clear: StaticString = "\u{1B}[2J"
    /// DSR: the terminal replies when it has read everything before.
    static let statusRequest: StaticString = "\u{1B}[5n"
}

enum SessionSequences {
    /// Presses, releases and the wheel (1000), also every cell of a drag (1002), in decimal (1006).
    ///
    /// A terminal without 1002 keeps 1000. Never 1003, which reports every movement.
    static let mouseOn: StaticString = "\u{1B}[?1000h\u{1B}[?1002h\u{1B}[?1006h"
    static let mouseOff: StaticString = "\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?1000l"

    /// The alternate screen (1049), no wrap, no cursor, bracketed paste, reports of dark and light mode (2031).
    ///
    /// Terminals ignore private modes that they do not know. Kitty's flags last: its own stack, without stale ones.
    private static let setUp: StaticString =
        "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l\u{1B}[?2004h\u{1B}[?2031h\u{1B}[<u\u{1B}[>1u"

    /// Restores everything, also in the middle of output: CAN ends a sequence, ST a string.
    ///
    /// The frame (2026) ends first: it would hide the rest. The scroll region moves the cursor and the keyboard flags
    /// belong to the alternate screen, so both precede 1049.
    static let restore: StaticString = """
        \u{18}\u{1B}\\\u{1B}[?2026l\u{1B}[r\u{1B}[0m\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?1000l\u{1B}[?2004l\
        \u{1B}[?2031l\u{1B}[<u\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l
        """

    /// Deletes kitty's images before `restore`, prepared for a signal's handler: one record of equal length an id.
    ///
    /// The start ends a sequence, and a transmission in parts.
    struct ImageDeletions: Sendable {
        static let direct = ImageDeletions(isInsideTmux: false)
        static let throughTmux = ImageDeletions(isInsideTmux: true)
        /// Unsafe: never changed and never freed.
        nonisolated(unsafe) let bytes: UnsafePointer<UInt8>
        private let startCount: Int
        private let recordCount: Int

        private init(isInsideTmux: Bool) {
            var all: [UInt8] = []
            all.append("\u{18}\u{1B}\\" as StaticString)
            let commands = KittyCommands(isInsideTmux: isInsideTmux)
            all += commands.end
            startCount = all.count
            for slot in 0..<KittyImages.maxCount { all += commands.deletion(of: KittyImages.id(slot)) }
            recordCount = (all.count - startCount) / KittyImages.maxCount
            let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: all.count)
            memory.initialize(from: all, count: all.count)
            bytes = UnsafePointer(memory)
        }

        /// Returns the bytes for so many ids.
        func count(of ids: Int) -> Int { ids == 0 ? 0 : startCount + min(ids, KittyImages.maxCount) * recordCount }
    }

    static func setUp(usesMouse: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(setUp)
        if usesMouse { bytes.append(mouseOn) }
        return bytes
    }
}

extension [UInt8] {
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(spaces count: Int) {
        append(contentsOf: repeatElement(UInt8(ascii: " "), count: Swift.max(count, 0)))
    }

    /// A number that is not negative, in decimal.
    mutating func append(number: Int) {
        if number >= 10 { append(number: number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// A scalar in UTF-8; nothing for a surrogate.
    mutating func append(scalar: UInt32) {
        guard scalar >= 0x80 else { return append(UInt8(scalar)) }
        if let encoded = Unicode.Scalar(scalar).flatMap(UTF8.encode) { append(contentsOf: encoded) }
    }

    /// CUU, CUD and CUF; nothing for a count of 0.
    mutating func append(cursorUp count: Int) { append(movement: "A", count) }
    mutating func append(cursorDown count: Int) { append(movement: "B", count) }
    mutating func append(cursorForward count: Int) { append(movement: "C", count) }

    /// CHA.
    mutating func append(cursorToColumn column: Int) { append(movement: "G", column + 1) }

    private mutating func append(movement letter: Unicode.Scalar, _ count: Int) {
        guard count > 0 else { return }
        append(SGR.introducer)
        if count > 1 { append(number: count) }
        append(UInt8(ascii: letter))
    }

    /// DECSTBM, then SU or SD, in default colours; the cursor's position is undefined afterwards.
    mutating func append(_ move: ScrollMove, of rows: Int) {
        let isWhole = move.top == 0 && move.bottom == rows
        if !isWhole { append(contentsOf: "\u{1B}[\(move.top + 1);\(move.bottom)r".utf8) }
        let count = abs(move.distance) > 1 ? "\(abs(move.distance))" : ""
        append(contentsOf: "\u{1B}[\(count)\(move.distance > 0 ? "S" : "T")".utf8)
        if !isWhole { append(ScreenControl.resetRegion) }
    }

    /// CUP.
    mutating func append(cursorTo position: CellPosition) {
        append(SGR.introducer)
        if position != CellPosition(column: 0, row: 0) { append(number: position.row + 1) }
        if position.column > 0 {
            append(UInt8(ascii: ";"))
            append(number: position.column + 1)
        }
        append(UInt8(ascii: "H"))
    }

    /// OSC 8 around the link's text.
    mutating func append(linkTo address: String, around text: [UInt8]) {
        append("\u{1B}]8;;" as StaticString)
        append(contentsOf: address.utf8)
        append("\u{1B}\\" as StaticString)
        append(contentsOf: text)
        append("\u{1B}]8;;\u{1B}\\" as StaticString)
    }
}
