/// Writes bands of six rows of pixels as sixels.
///
/// A column's pixels of one colour are one character. Columns of a colour that are near each other are a run, with gaps. Each pass
/// over the width draws runs, of any colour, that follow each other.
struct SixelBands {
    private let width: Int
    private let unset: UInt8?
    private var columns: [Column] = []
    /// By colour: the number of its last column, or -1.
    private var last = [Int32](repeating: -1, count: 256)
    /// The first columns of runs, from the left.
    private var heads: [Int32] = []
    /// By x: the first run that starts there or behind.
    private var headFrom: [Int32]
    /// By run: itself, or if it is drawn one behind it, towards the first that is not.
    private var waiting: [Int32] = []

    /// The pixels of one colour in one column.
    private struct Column {
        let x: Int32
        let color: UInt8
        /// A bit for each row, the lowest on top.
        var rows: UInt8
        /// The next one of the run, or -1.
        var next: Int32 = -1
    }

    /// The maximum bytes of a column: a colour, a gap and itself, both repeated.
    private static let maxColumn = 4 + 2 * 6

    init(width: Int, unset: UInt8?) {
        self.width = width
        self.unset = unset
        headFrom = [Int32](repeating: 0, count: width + 1)
    }

    /// Appends at most six rows of palette indices.
    mutating func append(_ indices: Span<UInt8>, to bytes: inout [UInt8]) {
        collect(indices)
        // A pass ends with one character.
        let capacity = columns.count * Self.maxColumn + heads.count
        bytes.append(cursorCapacity: capacity + ByteCursor.slack) { cursor, _ in
            var remaining = heads.count
            while remaining > 0 {
                var x: Int32 = 0
                var color: UInt8?
                while case let head = nextHead(headFrom[Int(x)]), head < heads.count {
                    waiting[Int(head)] = head + 1
                    remaining -= 1
                    x = drawRun(heads[Int(head)], x, &color, &cursor)
                }
                if remaining > 0 { cursor.write(0x24, count: 1) }  // $
            }
        }
    }

    /// Returns the first run from this one that is not drawn.
    private mutating func nextHead(_ head: Int32) -> Int32 {
        var found = head
        while found < heads.count, waiting[Int(found)] != found { found = waiting[Int(found)] }
        var at = head
        while at < found { (at, waiting[Int(at)]) = (waiting[Int(at)], found) }
        return found
    }

    private mutating func collect(_ indices: Span<UInt8>) {
        columns.removeAll(keepingCapacity: true)
        heads.removeAll(keepingCapacity: true)
        for color in last.indices { last[color] = -1 }
        for x in 0..<width {
            headFrom[x] = Int32(heads.count)
            var bit: UInt8 = 1
            for at in stride(from: x, to: indices.count, by: width) {
                let color = indices[at]
                if color != unset { add(color, bit, Int32(x)) }
                bit &<<= 1
            }
        }
        headFrom[width] = Int32(heads.count)
        waiting = heads.indices.map { Int32($0) }
    }

    private mutating func add(_ color: UInt8, _ bit: UInt8, _ x: Int32) {
        let before = Int(last[Int(color)])
        if before >= 0, columns[before].x == x {
            columns[before].rows |= bit
            return
        }
        let new = Int32(columns.count)
        columns.append(Column(x: x, color: color, rows: bit))
        last[Int(color)] = new
        if before >= 0, x - columns[before].x <= Self.maxGap(color) {
            columns[before].next = new
        } else {
            heads.append(new)
        }
    }

    /// A longer gap takes more bytes than choosing the colour again: `!10?` and `#12`.
    private static func maxGap(_ color: UInt8) -> Int32 { color < 100 ? 10 : 100 }

    /// Returns the x behind the run.
    private func drawRun(_ head: Int32, _ start: Int32, _ color: inout UInt8?, _ cursor: inout ByteCursor) -> Int32 {
        var x = start
        var at = head
        let runColor = columns[Int(head)].color
        if color != runColor {
            cursor.write(0x23, count: 1)  // #
            cursor.write(number: Int(runColor))
            color = runColor
        }
        while at >= 0 {
            let first = columns[Int(at)]
            draw(0, first.x - x, &cursor)
            x = first.x
            repeat {
                x += 1
                at = columns[Int(at)].next
            } while at >= 0 && columns[Int(at)].x == x && columns[Int(at)].rows == first.rows
            draw(first.rows, x - first.x, &cursor)
        }
        return x
    }

    private func draw(_ rows: UInt8, _ count: Int32, _ cursor: inout ByteCursor) {
        let character = UInt64(rows + 63)
        guard count > 3 else {
            cursor.write(character | character << 8 | character << 16, count: Int(count))
            return
        }
        cursor.write(0x21, count: 1)  // !
        cursor.write(number: Int(count))
        cursor.write(character, count: 1)
    }
}
