/// Reads a stream as a terminal would, and records faults.
///
/// Each row starts with unknown colours, as if the reader started in the middle of the stream.
struct StreamModel {
    enum Color: Hashable {
        case unknown
        case terminalDefault
        case rgb(UInt8, UInt8, UInt8)
        case index(Int)
    }

    struct Cell: Hashable {
        var character: Character
        var foreground: Color
        var background: Color

        var top: Color { character == "▀" ? foreground : background }
        var bottom: Color { character == "▄" ? foreground : background }
    }

    private(set) var rows: [[Cell]] = []
    private(set) var faults: [String] = []
    private var row: [Cell] = []
    private var foreground = Color.unknown
    private var background = Color.unknown
    private var isReset = false
    private var usedSGR = false

    init(reading bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            faults.append("not UTF-8")
            return
        }
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\u{1B}": readSequence(&rest)
            case "\n": endRow()
            case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}": faults.append("control \(scalar.value)")
            default: print(Character(scalar))
            }
        }
        if !row.isEmpty { faults.append("the last row has no newline") }
    }

    private mutating func print(_ character: Character) {
        if background == .unknown, usedSGR { faults.append("a cell on an unknown background") }
        if foreground == .unknown, usedSGR, character != " " { faults.append("a glyph in an unknown colour") }
        row.append(Cell(character: character, foreground: foreground, background: background))
        isReset = false
    }

    private mutating func endRow() {
        if usedSGR, !isReset { faults.append("a newline without a reset before it") }
        rows.append(row)
        row = []
        foreground = .unknown
        background = .unknown
        usedSGR = false
        isReset = false
    }

    private mutating func readSequence(_ rest: inout Substring.UnicodeScalarView) {
        guard rest.popFirst() == "[" else { return faults.append("an escape sequence that is not CSI") }
        var text = ""
        while let scalar = rest.popFirst() {
            if scalar == "m" { return apply(text.split(separator: ";").map { Int($0) ?? -1 }) }
            text.unicodeScalars.append(scalar)
        }
        faults.append("a sequence that does not end in m")
    }

    private mutating func apply(_ parameters: [Int]) {
        usedSGR = true
        isReset = parameters == [0]
        var at = 0
        while at < parameters.count {
            let code = parameters[at]
            at += 1
            switch code {
            case 0:
                foreground = .terminalDefault
                background = .terminalDefault
            case 30...37: set(\.foreground, .index(code - 30))
            case 90...97: set(\.foreground, .index(code - 82))
            case 40...47: set(\.background, .index(code - 40))
            case 100...107: set(\.background, .index(code - 92))
            case 38: set(\.foreground, color(parameters, &at))
            case 48: set(\.background, color(parameters, &at))
            case 49: set(\.background, .terminalDefault)
            default: faults.append("SGR \(code)")
            }
        }
    }

    private mutating func color(_ parameters: [Int], _ at: inout Int) -> Color {
        let kind = parameters[at]
        let count = kind == 2 ? 3 : 1
        let values = parameters[(at + 1)...(at + count)].map { UInt8(clamping: $0) }
        at += 1 + count
        return kind == 2 ? .rgb(values[0], values[1], values[2]) : .index(Int(values[0]))
    }

    private mutating func set(_ path: WritableKeyPath<StreamModel, Color>, _ color: Color) {
        if self[keyPath: path] == color { faults.append("\(color) is sent again") }
        self[keyPath: path] = color
    }
}
