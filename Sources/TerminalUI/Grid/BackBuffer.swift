internal import Glibc

/// The newest grid as it is to be painted: in the terminal's colours, normalized, with a hash of each row.
struct BackBuffer: Sendable {
    let columns: Int
    let rows: Int
    private(set) var cells: [Cell]
    private(set) var rowHashes: [UInt64]
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
        rowHashes = [UInt64](repeating: Self.blankRowHash(columns: columns), count: rows)
        palette = PaletteMapper(depth)
    }

    static func blankRowHash(columns: Int) -> UInt64 { hash([Cell](repeating: .blank, count: columns)[...]) }

    /// Copies a grid of the same size, and marks the rows that changed.
    mutating func update(from grid: CellGrid, _ changed: inout [Bool]) {
        let indexes = grid.graphemes.texts.map { index(of: $0) }
        let old = source
        source = (grid.cells, indexes)
        for row in 0..<rows {
            let range = row * columns..<(row + 1) * columns
            if let old, Self.isSame(old.cells, grid.cells, range), grid.graphemes.isEmpty || old.indexes == indexes {
                continue
            }
            if convert(range, of: grid.cells, indexes) {
                rowHashes[row] = Self.hash(cells[range])
                changed[row] = true
            }
        }
    }

    /// Returns a copy that wants what is shown where `grid` and `earlier` have the same cells of images, and the rows of these.
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

    /// Drops graphemes that are neither here nor on the screen.
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

    private static func isSame(_ one: [Cell], _ other: [Cell], _ range: Range<Int>) -> Bool {
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                guard let one = one.baseAddress, let other = other.baseAddress else { return true }
                if one == other { return true }
                let start = range.lowerBound * MemoryLayout<Cell>.stride
                return memcmp(one + start, other + start, range.count * MemoryLayout<Cell>.stride) == 0
            }
        }
    }

    /// One 64-bit multiplication and shift a word; a hash is only a hint, so collisions do no harm.
    private static func hash(_ row: ArraySlice<Cell>) -> UInt64 {
        // The odd number nearest to 2^64 divided by the golden ratio (Knuth, volume 3, 6.4).
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        return row.withUnsafeBytes { bytes in
            var hash = factor
            for offset in stride(from: 0, to: bytes.count, by: MemoryLayout<UInt64>.size) {
                hash = (hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* factor
                hash ^= hash >> 29
            }
            return hash
        }
    }
}
