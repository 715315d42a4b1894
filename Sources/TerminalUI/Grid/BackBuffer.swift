/// The newest grid, ready to be painted: in the terminal's colours, without invisible styles.
struct BackBuffer: Sendable {
    let columns: Int
    let rows: Int
    private(set) var cells: [Cell]
    private(set) var graphemes: [EncodedGrapheme] = []
    private var table = GraphemeTable()
    private var palette: PaletteMapper
    private var source: (cells: [Cell], indexes: [UInt32])?
    /// Triggers compaction: a page in a script of graphemes has hundreds.
    private static let maxGraphemes = 4096

    init(size: CellSize, depth: ColorDepth) {
        columns = size.columns
        rows = size.rows
        cells = [Cell](repeating: .blank, count: columns * rows)
        palette = PaletteMapper(depth)
    }

    /// Copies a grid of the same size, and marks the rows that changed.
    mutating func update(from grid: CellGrid, _ changed: inout [Bool]) {
        let indexes = grid.graphemes.texts.map { index(of: $0) }
        let old = source
        source = (grid.cells, indexes)
        for row in 0..<rows {
            let range = row * columns..<(row + 1) * columns
            if let old, old.cells[range] == grid.cells[range], grid.graphemes.isEmpty || old.indexes == indexes {
                continue
            }
            if convert(range, of: grid.cells, indexes) { changed[row] = true }
        }
    }

    /// Returns a copy that keeps image cells as shown if `grid` and `earlier` agree on them, and the rows of such cells.
    func deferring(
        _ grid: CellGrid, _ earlier: CellGrid, _ front: FrontBuffer
    ) -> (wanted: BackBuffer, rows: [Int]) {
        var (wanted, rows) = (self, [Int]())
        guard grid.size == earlier.size else { return (wanted, rows) }
        for row in 0..<self.rows where front.isPending[row] {
            for at in row * columns..<(row + 1) * columns where grid.cells[at].isImage && front.cells[at].isImage {
                guard grid.cells[at] == earlier.cells[at], front.cells[at] != cells[at] else { continue }
                wanted.cells[at] = front.cells[at]
                if rows.last != row { rows.append(row) }
            }
        }
        return (wanted, rows)
    }

    var needsCompaction: Bool { graphemes.count > Self.maxGraphemes }

    /// Drops graphemes that neither the grid nor the screen has.
    mutating func compact(with shown: inout [Cell]) {
        var both = cells + shown
        table.compact(&both)
        cells = Array(both[..<cells.count])
        shown = Array(both[cells.count...])
        graphemes = table.texts.map { EncodedGrapheme($0) }
        source = nil
    }

    private mutating func index(of text: String) -> UInt32 {
        let index = table.index(of: text)
        if Int(index) == graphemes.count { graphemes.append(EncodedGrapheme(text)) }
        return index
    }

    private mutating func convert(_ range: Range<Int>, of raw: [Cell], _ indexes: [UInt32]) -> Bool {
        var differs = false
        for at in range {
            var cell = raw[at].normalized
            if cell.isContinuation, at > range.lowerBound {
                cell.style = cells[at - 1].style
            } else {
                if cell.isGrapheme {
                    cell.glyph = Cell.graphemeBit | indexes[cell.graphemeIndex]
                } else if EncodedGrapheme.isControl(cell.scalar) {
                    cell.glyph = Cell.replacement
                }
                palette.map(&cell)
            }
            if cell != cells[at] {
                cells[at] = cell
                differs = true
            }
        }
        return differs
    }
}

private struct PaletteMapper: Sendable {
    private let depth: ColorDepth
    /// Created for the first colour that needs it; images already use the palette.
    private lazy var nearest = NearestColor(depth)

    init(_ depth: ColorDepth) { self.depth = depth }

    mutating func map(_ cell: inout Cell) {
        // The colour of a picture's cell is its number.
        if depth == .truecolor || cell.isPlaced { return }
        guard depth != .monochrome else { return cell.style = .plain }
        cell.style.foreground = map(cell.style.foreground)
        cell.style.background = map(cell.style.background)
    }

    private mutating func map(_ color: CellColor) -> CellColor {
        if let channels = color.channels { return map(channels) }
        // Every terminal has the first sixteen.
        guard depth == .palette16, let index = color.paletteIndex, index >= 16 else { return color }
        return map(TerminalPalette.cubeAndGreys[Int(index) - 16])
    }

    private mutating func map(_ channels: RGB) -> CellColor { .palette(nearest.index(of: PackedPixel(channels))) }
}
