import SpyglassPixels
import SpyglassTestSupport

/// A screen that shows a stream as a terminal would: text, and pictures of pixel protocols.
struct StreamScreen {
    /// Where a terminal leaves the cursor after a picture; they differ.
    enum CursorAfterPicture: CaseIterable {
        case first, lastRow, below
    }

    struct Picture: Hashable {
        /// The line of its first row, counted from the start of the stream.
        var line: Int
        var column: Int
        /// As the sequence tells it: pixels, or cells of iTerm2.
        var size: PixelSize
    }

    /// The lines since the start of the stream, without trailing spaces.
    var lines: [String] {
        cells.map { cells in String(cells[..<(cells.lastIndex { $0 != " " }.map { $0 + 1 } ?? 0)]) }
    }
    private(set) var pictures: [Picture] = []
    private(set) var faults: [String] = []
    /// From the start of the stream.
    private(set) var cursor = (line: 0, column: 0)

    private var cells: [[Character]] = [[]]
    private var saved: (line: Int, column: Int)?
    private var scrolled = 0
    private let rows: Int
    private let cell: PixelSize
    private let after: CursorAfterPicture

    /// Reads a stream on a screen of so many rows, of which the last has the cursor.
    init(reading bytes: [UInt8], rows: Int, cell: PixelSize, after: CursorAfterPicture) {
        self.rows = rows
        self.cell = cell
        self.after = after
        scrolled = 1 - rows
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case 0x1B: readSequence(&rest)
            case 0x0A: moveDown(from: 1)
            case 0x0D: cursor.column = 0
            default:
                var scalar = [byte]
                while let next = rest.first, next & 0xC0 == 0x80 {
                    scalar.append(next)
                    rest.removeFirst()
                }
                print(Character(String(decoding: scalar, as: UTF8.self)))
            }
        }
        if cursor.column != 0 { faults.append("the stream ends in column \(cursor.column)") }
    }

    private mutating func print(_ character: Character) {
        while cells[cursor.line].count <= cursor.column { cells[cursor.line].append(" ") }
        cells[cursor.line][cursor.column] = character
        cursor.column += 1
    }

    /// A newline, as the terminal driver sends it.
    private mutating func moveDown(from count: Int) {
        cursor = (cursor.line + count, 0)
        while cells.count <= cursor.line { cells.append([]) }
        scrolled = max(scrolled, cursor.line - rows + 1)
    }

    private mutating func readSequence(_ rest: inout ArraySlice<UInt8>) {
        switch rest.popFirst() {
        case UInt8(ascii: "7"): saved = cursor
        case UInt8(ascii: "8"): cursor = saved ?? (0, 0)
        case UInt8(ascii: "["):
            let end = rest.firstIndex { (0x40...0x7E).contains($0) } ?? rest.endIndex - 1
            move(Int(String(decoding: rest[..<end], as: UTF8.self)) ?? 1, rest[end])
            rest = rest[(end + 1)...]
        case UInt8(ascii: "_"): readPicture(string(&rest, endingWith: [0x1B, 0x5C]), "G")
        case UInt8(ascii: "]"): readPicture(string(&rest, endingWith: [0x07]), "1337;")
        case UInt8(ascii: "P"): readPicture(string(&rest, endingWith: [0x1B, 0x5C]), "")
        default: faults.append("an unknown escape sequence")
        }
    }

    private mutating func move(_ count: Int, _ final: UInt8) {
        switch final {
        case UInt8(ascii: "A"):
            cursor.line -= count
            if cursor.line < scrolled { faults.append("the cursor moved above the screen") }
        case UInt8(ascii: "B"):
            cursor.line += count
            if cursor.line >= scrolled + rows { faults.append("the cursor moved below the screen") }
        case UInt8(ascii: "C"): cursor.column += count
        case UInt8(ascii: "m"): break
        default: faults.append("CSI \(Unicode.Scalar(final))")
        }
    }

    private func string(_ rest: inout ArraySlice<UInt8>, endingWith terminator: [UInt8]) -> String {
        var text: [UInt8] = []
        while !rest.isEmpty, !rest.starts(with: terminator) { text.append(rest.removeFirst()) }
        rest = rest.dropFirst(terminator.count)
        return String(decoding: text, as: UTF8.self)
    }

    /// A stand-in for a PNG: the image's size as text.
    static func fakePNG(_ image: PixelBuffer) -> [UInt8] { Array("\(image.size)".utf8) }

    /// The size is in the fake PNG of kitty, in the keys of iTerm2 and in the raster attributes of sixel.
    private mutating func readPicture(_ text: String, _ start: String) {
        guard text.hasPrefix(start) else { return faults.append("an unknown string") }
        var size: PixelSize?
        var cellSize: PixelSize?
        if start == "G" {
            let parts = text.split(separator: ";")
            if let keys = text.firstMatch(of: /c=(\d+),r=(\d+)/) {
                cellSize = PixelSize(checking: Int(keys.1) ?? 0, Int(keys.2) ?? 0)
            } else if parts.count == 2 {
                let sides = String(decoding: Base64.decoded(parts[1]) ?? [], as: UTF8.self).split(separator: "x")
                    .compactMap { Int($0) }
                if sides.count == 2 { size = PixelSize(checking: sides[0], sides[1]) }
            }
        } else if let keys = text.firstMatch(of: /width=(\d+);height=(\d+)/) {
            cellSize = PixelSize(checking: Int(keys.1) ?? 0, Int(keys.2) ?? 0)
        } else if let keys = text.firstMatch(of: /"1;1;(\d+);(\d+)/) {
            size = PixelSize(checking: Int(keys.1) ?? 0, Int(keys.2) ?? 0)
        }
        guard let shown = size ?? cellSize else { return faults.append("a picture without a size: \(text.prefix(60))") }
        let high = cellSize?.height ?? ((shown.height + cell.height - 1) / cell.height)
        pictures.append(Picture(line: cursor.line, column: cursor.column, size: shown))
        // Sixel scrolls a picture that touches the last row.
        if cursor.line + high >= scrolled + rows { faults.append("a picture touches the last row") }
        switch after {
        case .first: break
        case .lastRow: cursor.line += high - 1
        case .below: cursor = (cursor.line + high, 0)
        }
    }
}
