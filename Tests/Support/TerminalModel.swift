/// A strict terminal in memory, which shows its input and records faults.
///
///     var terminal = TerminalModel(columns: 80, rows: 24) { TerminalText(cleaning: String($0)).width }
///     terminal.read(frame.bytes.raw)
///     #expect(terminal.faults.isEmpty)
///     #expect(terminal.text(ofRow: 0) == "spyglass")
///
/// It knows only the sequences of this project: CUP, CHA, CUF, SGR, ED, EL, DECSTBM, SU, SD,
/// DSR, DECAWM, hyperlinks, the cursor, the alternate screen, synchronized blocks, and pictures (`TerminalModel.Pictures`).
/// Faults: other sequences, printing and scrolling outside a synchronized block, printing after the last column, and
/// colours left at a block's end.
package struct TerminalModel {
    /// A colour as sent.
    package enum Color: Hashable, Sendable {
        case terminalDefault
        case palette(Int)
        case rgb(UInt8, UInt8, UInt8)
    }

    /// Colours and attributes.
    package struct Look: Hashable, Sendable {
        package var foreground = Color.terminalDefault
        package var background = Color.terminalDefault
        package var isBold = false
        package var isDim = false
        package var isUnderlined = false
        package var isReversed = false

        package static let plain = Look()
    }

    /// One cell; the second half of a wide character has no text.
    package struct Cell: Hashable, Sendable {
        package var text: String
        package var look: Look
        /// The URL of a hyperlink (OSC 8).
        package var link: String?
        /// The part of an inline picture, which text erases.
        package var part: Part?
    }

    /// Replaces the rest of a half overwritten wide character, since terminals differ.
    package static let debris = "\u{FFFF}"

    package let columns: Int
    package let rows: Int
    package internal(set) var cells: [Cell]
    package private(set) var faults: [String] = []
    package internal(set) var cursor = (row: 0, column: 0)
    package private(set) var isCursorShown = true
    package private(set) var isAlternateScreen = false
    private var link: String?
    /// The number of completed synchronized blocks.
    package private(set) var frames = 0
    /// The terminal's replies.
    package private(set) var replies: [UInt8] = []

    /// Whether cleared cells get the current background ("bce"), as in xterm, or the default.
    package var clearsWithBackground = true
    /// Whether each scalar is drawn separately, as in terminals without grapheme clusters.
    package var drawsScalars = false

    /// Kitty's images and placements.
    package var pictures = Pictures()
    /// Whether the cursor's position differs among terminals.
    var isCursorUnknown = false

    private var look = Look.plain
    private var isPending = false
    private var wraps = false
    private(set) var isInBlock = false
    private(set) var region: Range<Int>
    private var rest: [UInt8] = []
    private let width: (Character) -> Int

    /// Creates a blank terminal without wrapping, which measures characters by `width`.
    package init(columns: Int, rows: Int, width: @escaping (Character) -> Int) {
        self.columns = columns
        self.rows = rows
        self.width = width
        cells = [Cell](repeating: Cell(text: " ", look: .plain), count: columns * rows)
        region = 0..<rows
    }

    /// The text of a row without trailing spaces.
    package func text(ofRow row: Int) -> String {
        var text = cells[row * columns..<(row + 1) * columns].map(\.text).joined()
        while text.last == " " { text.removeLast() }
        return text
    }

    /// Fills the screen and changes region and colours, like another program.
    package mutating func spoil(withColors: Bool = true) {
        let wrong = withColors ? Look(foreground: .palette(1), background: .palette(2), isReversed: true) : .plain
        cells = [Cell](repeating: Cell(text: "#", look: wrong), count: columns * rows)
        look = wrong
        isCursorShown = true
        region = 0..<max(rows - 1, 1)
    }

    /// Shows bytes; an incomplete sequence continues with the next ones.
    package mutating func read(_ bytes: [UInt8]) {
        let bytes = rest + bytes
        rest = []
        var at = 0
        while at < bytes.count {
            if bytes[at] == 0x1B {
                guard let end = sequenceEnd(bytes, at) else {
                    rest = Array(bytes[at...])
                    return
                }
                perform(bytes[at..<end])
                at = end
            } else {
                var end = at
                while end < bytes.count, bytes[end] != 0x1B { end += 1 }
                print(bytes[at..<end])
                at = end
            }
        }
    }

    mutating func fault(_ what: String) { faults.append(what) }

    // MARK: - Printing

    private mutating func print(_ bytes: ArraySlice<UInt8>) {
        if !isInBlock { fault("text outside a synchronized block") }
        if bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            for byte in bytes { put(String(Unicode.Scalar(byte)), width: 1) }
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return fault("not UTF-8") }
        for character in text {
            if character.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                fault("a control character")
            } else if drawsScalars {
                for scalar in character.unicodeScalars { put(String(scalar), width: width(Character(scalar))) }
            } else {
                put(String(character), width: width(character))
            }
        }
    }

    private mutating func put(_ text: String, width: Int) {
        guard width > 0 else {
            let at = cursor.row * columns + (isPending ? cursor.column : cursor.column - 1)
            guard cells.indices.contains(at) else { return }
            var base = at
            while cells[base].text.isEmpty, base > cursor.row * columns { base -= 1 }
            cells[base].text += text
            return
        }
        if isCursorUnknown { fault("\(text) at an unknown position") }
        if isPending, !drawsScalars { fault("\(text) behind the last column") }
        if wraps { fault("wrapping is on") }
        var column = cursor.column
        if column + width > columns {
            if !drawsScalars { fault("\(text) does not fit") }
            column = max(columns - width, 0)
        }
        let end = min(column + width, columns)
        breakEdges(column..<end)
        let start = cursor.row * columns
        cells[start + column] = Cell(text: text, look: look, link: link)
        for at in column + 1..<max(end, column + 1) { cells[start + at] = Cell(text: "", look: look, link: link) }
        isPending = end == columns
        cursor.column = isPending ? columns - 1 : end
    }

    /// Leaves debris of half overwritten wide characters.
    private mutating func breakEdges(_ range: Range<Int>) {
        let start = cursor.row * columns
        if cells[start + range.lowerBound].text.isEmpty {
            var at = range.lowerBound - 1
            while at >= 0 {
                let wasInside = cells[start + at].text.isEmpty
                cells[start + at].text = Self.debris
                if !wasInside { break }
                at -= 1
            }
        }
        var at = range.upperBound
        while at < columns, cells[start + at].text.isEmpty {
            cells[start + at].text = Self.debris
            at += 1
        }
    }

    // MARK: - Sequences

    /// The end of a control sequence, or `nil` if incomplete.
    private func sequenceEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard start + 1 < bytes.count else { return nil }
        if "]_P".utf8.contains(bytes[start + 1]) {
            // Up to ST, which is ESC \.
            var at = start + 2
            while at + 1 < bytes.count, bytes[at] != 0x1B { at += 1 }
            return at + 1 < bytes.count ? at + 2 : nil
        }
        guard bytes[start + 1] == UInt8(ascii: "[") else { return start + 2 }
        var at = start + 2
        while at < bytes.count, (0x20..<0x40).contains(bytes[at]) { at += 1 }
        return at < bytes.count ? at + 1 : nil
    }

    private mutating func perform(_ sequence: ArraySlice<UInt8>) {
        let start: [UInt8] = Array("\u{1B}]8;;".utf8)
        if sequence.starts(with: start), sequence.last == UInt8(ascii: "\\") {
            let address = String(decoding: sequence.dropFirst(start.count).dropLast(2), as: UTF8.self)
            link = address.isEmpty ? nil : address
            return
        }
        if sequence.count > 4, "_P".utf8.contains(sequence[sequence.startIndex + 1]) {
            return perform(
                picture: sequence.dropFirst(2).dropLast(2), isKitty: sequence[sequence.startIndex + 1] == 0x5F)
        }
        guard sequence.count >= 3, sequence[sequence.startIndex + 1] == UInt8(ascii: "["), let final = sequence.last
        else { return fault("an escape sequence that is not CSI") }
        var body = sequence.dropFirst(2).dropLast()
        let isPrivate = body.first == UInt8(ascii: "?")
        if isPrivate { body = body.dropFirst() }
        var parameters: [Int] = []
        var number: Int?
        for byte in body {
            switch byte {
            case 0x30...0x39: number = (number ?? 0) * 10 + Int(byte - 0x30)
            case UInt8(ascii: ";"):
                parameters.append(number ?? 0)
                number = nil
            default: return fault("a byte \(byte) in a sequence")
            }
        }
        if !body.isEmpty { parameters.append(number ?? 0) }
        if isPrivate { return setMode(parameters, final) }
        perform(parameters, final)
    }

    private mutating func perform(_ parameters: [Int], _ final: UInt8) {
        let first = parameters.first ?? 0
        switch Character(Unicode.Scalar(final)) {
        case "m": apply(parameters)
        case "H":
            let column = parameters.count > 1 ? parameters[1] : 1
            move(toRow: max(first, 1) - 1, column: max(column, 1) - 1)
        case "G":
            if isCursorUnknown { fault("a column in an unknown row") }
            move(toRow: cursor.row, column: max(first, 1) - 1)
        case "C":
            if isCursorUnknown { fault("a relative move from an unknown position") }
            if isPending { fault("a relative move from behind the last column") }
            move(toRow: cursor.row, column: cursor.column + max(first, 1))
        case "J":
            if first != 2 { fault("ED \(first)") }
            erase(0..<columns * rows)
            pictures.clear()
        case "K":
            if first != 0 { fault("EL \(first)") }
            breakEdges(cursor.column..<columns)
            if cells[cursor.row * columns + cursor.column..<(cursor.row + 1) * columns].contains(where: {
                $0.part != nil
            }) {
                fault("EL over a sixel: xterm keeps its pixels, and shows them after a scroll")
            }
            erase(cursor.row * columns + cursor.column..<(cursor.row + 1) * columns)
        case "r":
            let bottom = parameters.count > 1 ? parameters[1] : rows
            guard max(first, 1) < bottom || rows == 1, bottom <= rows else { return fault("a region of no rows") }
            region = max(first, 1) - 1..<bottom
            cursor = (0, 0)
            isPending = false
        case "S": scroll(by: max(first, 1))
        case "T": scroll(by: -max(first, 1))
        case "n":
            if first != 5 { return fault("DSR \(first)") }
            if isInBlock { fault("a status request inside a block") }
            replies += Array("\u{1B}[0n".utf8)
        default: fault("CSI \(parameters) \(Character(Unicode.Scalar(final)))")
        }
    }

    private mutating func move(toRow row: Int, column: Int) {
        if row >= rows || column >= columns { fault("the cursor is sent to \(column),\(row)") }
        isCursorUnknown = false
        cursor = (min(row, rows - 1), min(column, columns - 1))
        isPending = false
    }

    private mutating func erase(_ range: Range<Int>) {
        if !isInBlock { fault("clearing outside a synchronized block") }
        let blank = Cell(text: " ", look: Look(background: clearsWithBackground ? look.background : .terminalDefault))
        for at in range { cells[at] = blank }
    }

    private mutating func scroll(by distance: Int) {
        if !isInBlock { fault("scrolling outside a synchronized block") }
        if look != .plain { fault("scrolling with colours set") }
        scrollPictures(by: distance)
        let old = cells
        let blank = Cell(text: " ", look: Look(background: clearsWithBackground ? look.background : .terminalDefault))
        for row in region {
            let from = row + distance
            for column in 0..<columns {
                let at = row * columns + column
                cells[at] = region.contains(from) ? old[from * columns + column] : blank
                // xterm leaves the pixels of a sixel in rows that come in.
                if !region.contains(from) { cells[at].part = old[at].part }
            }
        }
    }

    private mutating func setMode(_ parameters: [Int], _ final: UInt8) {
        guard parameters.count == 1, final == UInt8(ascii: "h") || final == UInt8(ascii: "l") else {
            return fault("mode \(parameters)")
        }
        let isOn = final == UInt8(ascii: "h")
        switch parameters[0] {
        case 7: wraps = isOn
        case 25: isCursorShown = isOn
        case 1049:
            isAlternateScreen = isOn
            if isOn { pictures = Pictures() }
            for at in cells.indices { cells[at] = Cell(text: " ", look: .plain) }
        // The mouse, bracketed paste.
        case 1000, 1002, 1003, 1006, 2004: break
        case 2026:
            if isOn == isInBlock { fault("blocks inside one another") }
            isInBlock = isOn
            guard !isOn else { return }
            frames += 1
            if look != .plain { fault("a block ends with colours set") }
            if region != 0..<rows { fault("a block ends with a region set") }
        default: fault("mode \(parameters[0])")
        }
    }

    private mutating func apply(_ parameters: [Int]) {
        var values = (parameters.isEmpty ? [0] : parameters)[...]
        while let code = values.popFirst() {
            switch code {
            case 0: look = .plain
            case 1: look.isBold = true
            case 2: look.isDim = true
            case 4: look.isUnderlined = true
            case 7: look.isReversed = true
            case 22:
                look.isBold = false
                look.isDim = false
            case 24: look.isUnderlined = false
            case 27: look.isReversed = false
            case 30...37: look.foreground = .palette(code - 30)
            case 38: look.foreground = color(&values)
            case 39: look.foreground = .terminalDefault
            case 40...47: look.background = .palette(code - 40)
            case 48: look.background = color(&values)
            case 49: look.background = .terminalDefault
            case 90...97: look.foreground = .palette(code - 82)
            case 100...107: look.background = .palette(code - 92)
            default: fault("SGR \(code)")
            }
        }
    }

    private mutating func color(_ values: inout ArraySlice<Int>) -> Color {
        switch values.popFirst() {
        case 5:
            if let index = values.popFirst(), (0...255).contains(index) { return .palette(index) }
        case 2:
            if let red = values.popFirst(), let green = values.popFirst(), let blue = values.popFirst(),
                max(red, green, blue) <= 255
            {
                return .rgb(UInt8(red), UInt8(green), UInt8(blue))
            }
        default: break
        }
        fault("a colour that is none")
        return .terminalDefault
    }
}
