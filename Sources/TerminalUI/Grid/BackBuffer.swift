internal import Glibc

/// The newest grid in the form that is painted: in the colours of the terminal, nothing unseen in it, its clusters under
/// the painter's own numbers, each row under a name that tells it from others.
struct BackBuffer: Sendable {
    let columns: Int
    let rows: Int
    private(set) var cells: [Cell]
    /// A hash of each row.
    private(set) var names: [UInt64]
    private(set) var clusters: [EncodedGrapheme] = []
    private var table = GraphemeTable()
    private var palette: PaletteMapper
    /// What the cells were made of, and under which numbers its clusters stand here.
    private var source: (cells: [Cell], numbers: [UInt32])?

    /// Clusters that have been seen are forgotten beyond so many: a page of text in a script of clusters has hundreds.
    private static let clusterLimit = 4096

    init(size: CellSize, depth: ColorDepth) {
        columns = size.columns
        rows = size.rows
        cells = [Cell](repeating: .blank, count: columns * rows)
        names = [UInt64](repeating: Self.blankName(columns: columns), count: rows)
        palette = PaletteMapper(depth)
    }

    /// The name of an empty row.
    static func blankName(columns: Int) -> UInt64 {
        name([Cell](repeating: .blank, count: columns)[...])
    }

    /// Takes a grid of the same size, and marks the rows that changed.
    mutating func take(_ grid: CellGrid, _ changed: inout [Bool]) {
        let numbers = grid.clusters.texts.map { number(of: $0) }
        let old = source
        source = (grid.cells, numbers)
        for row in 0..<rows {
            let range = row * columns..<(row + 1) * columns
            if let old, Self.isSame(old.cells, grid.cells, range), grid.clusters.isEmpty || old.numbers == numbers {
                continue
            }
            if fit(range, of: grid.cells, numbers) {
                names[row] = Self.name(cells[range])
                changed[row] = true
            }
        }
    }

    /// Whether so many clusters are known that the unused ones should go.
    var isCrowded: Bool { clusters.count > Self.clusterLimit }

    /// Drops all clusters but those here and on the screen, and numbers them anew.
    mutating func compact(with shown: inout [Cell]) {
        var both = cells + shown
        table.compact(&both)
        cells = Array(both[..<cells.count])
        shown = Array(both[cells.count...])
        clusters = table.texts.map { EncodedGrapheme($0) }
        source = nil
    }

    private mutating func number(of text: String) -> UInt32 {
        let number = table.number(of: text)
        if Int(number) == clusters.count { clusters.append(EncodedGrapheme(text)) }
        return number
    }

    /// Makes the cells of one row; whether they differ from before.
    private mutating func fit(_ range: Range<Int>, of raw: [Cell], _ numbers: [UInt32]) -> Bool {
        var differs = false
        for at in range {
            var cell = raw[at].withoutUnseen
            if cell.isContinuation, at > range.lowerBound {
                cell.style = cells[at - 1].style
            } else {
                if cell.isCluster {
                    cell.glyph = Cell.clusterBit | numbers[cell.cluster]
                } else if EncodedGrapheme.isControl(cell.scalar) {
                    cell.glyph = Cell.replacement
                }
                palette.fit(&cell)
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

    /// A 64-bit multiply and shift a word; a name is only ever a hint, so that two rows of one name do no harm.
    private static func name(_ row: ArraySlice<Cell>) -> UInt64 {
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
