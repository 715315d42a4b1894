import SpyglassPixels

@testable import SpyglassTerminalUI

/// A screen that changes at random: text, images and moves, from few values so that much stays equal.
struct RandomScreen {
    private(set) var grid: CellGrid
    var generator: Seeded
    private let depth: ColorDepth
    /// How pictures in pixels are drawn, if there are any.
    private let kind: PixelPayload.Kind?
    private var pictures: [CellImage] = []
    private var lastPicture = 0

    private static let texts: [TerminalText] = [
        "a", "b", " ", "  ", "Apollo 11", "x y", "spyglass", "日本", "한글", "é", "e\u{301}", "n\u{303}o\u{308}", "👩‍🚀",
        "👨‍👩‍👧", "🇯🇵", "🇯", "❤️", "👍🏽", "👍", "🏽", "1️⃣", "नि", "ที่", "ᄒ", "─", "…", "مرحبا", "ﷺ", "字a字",
    ]

    init(size: CellSize, depth: ColorDepth, generator: Seeded, pictures kind: PixelPayload.Kind? = nil) {
        self.kind = kind
        grid = CellGrid(size: size)
        self.generator = generator
        self.depth = depth
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    mutating func chance(_ oneIn: Int) -> Bool { number(1...oneIn) == 1 }

    mutating func change() {
        for _ in 0..<number(1...4) { changeOnce() }
        if chance(5) { grid.cursor = place() }
        if chance(5) { grid.cursor = nil }
    }

    private mutating func changeOnce() {
        switch number(0...9) {
        case 0...3: putText()
        case 4: grid.fill(area(), with: style())
        case 5, 6:
            let image =
                kind == nil || chance(4)
                ? picture(columns: number(1...grid.size.columns), rows: number(1...grid.size.rows)) : pixelPicture()
            grid.put(image, at: place(), clip: chance(3) ? area() : nil)
        case 7:
            let style = style()
            grid.restyle(area()) { $0 = style }
        case 8: moveRows()
        default:
            if chance(4) { grid = CellGrid(size: grid.size, style: style()) } else { fillWithText() }
        }
    }

    private mutating func putText() {
        let text = Self.texts[number(0...Self.texts.count - 1)]
        grid.put(text, at: place(), in: style(), clip: chance(4) ? area() : nil)
    }

    private mutating func fillWithText() {
        for row in 0..<grid.size.rows {
            var column = 0
            while column < grid.size.columns, !chance(8) {
                let text = Self.texts[number(0...Self.texts.count - 1)]
                column += grid.put(text, at: CellPosition(column: column, row: row), in: style())
            }
        }
    }

    /// Moves rows up or down, and inserts blank or other ones.
    private mutating func moveRows() {
        let distance = number(-3...3)
        let top = number(0...grid.size.rows - 1)
        let bottom = number(top...grid.size.rows - 1)
        let old = grid.cells
        let columns = grid.size.columns
        for row in top...bottom {
            let from = row + distance
            for column in 0..<columns {
                grid.cells[row * columns + column] =
                    (top...bottom).contains(from) ? old[from * columns + column] : .blank
            }
        }
        if chance(2) { putText() }
    }

    private mutating func place() -> CellPosition {
        CellPosition(column: number(-2...grid.size.columns), row: number(-1...grid.size.rows))
    }

    private mutating func area() -> CellArea {
        CellArea(
            column: number(-2...grid.size.columns - 1), row: number(-1...grid.size.rows - 1),
            columns: number(0...grid.size.columns), rows: number(0...grid.size.rows))
    }

    private mutating func style() -> CellStyle {
        if chance(2) { return .plain }
        let attributes = TextStyle.Attributes(rawValue: chance(2) ? 0 : UInt8(number(0...15)))
        return CellStyle(foreground: color(), background: color(), attributes)
    }

    private mutating func color() -> CellColor {
        switch depth {
        case .palette16: return chance(3) ? .terminalDefault : .palette(UInt8(number(5...10)))
        case .palette256: return chance(3) ? .terminalDefault : .palette(UInt8(number(14...19)))
        case .monochrome, .truecolor: break
        }
        switch number(0...5) {
        case 0: return .terminalDefault
        case 1: return .palette(UInt8(number(6...17)))
        default:
            // Near ones and far ones.
            let base = [0, 100, 240][number(0...2)]
            let channels = (0..<3).map { _ in UInt8(base + (chance(2) ? number(0...15) : 0)) }
            return .rgb(RGB(channels[0], channels[1], channels[2]))
        }
    }

    /// A new picture in pixels, or a known one, which may be on the screen.
    private mutating func pixelPicture() -> CellImage {
        if let known = pictures.suffix(4).randomElement(using: &generator), chance(2) {
            // Its animation begins or ends.
            return kind == .inline || chance(2) ? known : known.animated(number: lastPicture + 100_000, chance(2))
        }
        var image = picture(
            columns: number(1...max(grid.size.columns / 2, 1)), rows: number(1...max(grid.size.rows / 2, 1)))
        lastPicture += 1
        image.payload = kind.map {
            PixelPayload(
                $0, number: lastPicture, columns: image.columns, rows: image.rows,
                length: number(20...(chance(4) ? 15_000 : 300)))
        }
        pictures.append(image)
        return image
    }

    private mutating func picture(columns: Int, rows: Int) -> CellImage {
        let symbols = SymbolSet.allCases[number(0...SymbolSet.allCases.count - 1)]
        let last = 1 << symbols.grid.pixelCount - 2
        let patterns = [0, number(0...last), number(0...last), number(0...last)]
        let cells = (0..<columns * rows).map { _ in
            Cell(
                glyph: symbols.table.glyphs[patterns[number(0...3)]] | Cell.imageBit,
                style: CellStyle(foreground: color(), background: color()))
        }
        return CellImage(columns: columns, rows: rows, cells: cells)
    }
}

extension CellImage {
    /// The image with an animation of three frames that plays in its place, or without one.
    func animated(number: Int, _ isPlaying: Bool = true, length: Int = 150) -> CellImage {
        var image = self
        image.animation = payload.flatMap { payload in
            isPlaying
                ? PixelPayload(payload.kind, number: number, columns: columns, rows: rows, length: length, frames: 3)
                : nil
        }
        return image
    }
}
