/// A size in character cells; each side is from 1 to `largestSide`.
///
///     CellSize(parsing: "80x24")  // 80 columns, 24 rows
///
/// It is never a size in pixels: `HalfBlock.pixelBox(for:)` is the only bridge.
public struct CellSize: Hashable, Sendable {
    /// Cells in a row.
    public let columns: Int
    /// Rows.
    public let rows: Int

    /// Columns or rows that no real terminal exceeds; what reports more is wrong or hostile.
    ///
    /// An 8K screen has 960 columns in a font eight pixels wide.
    public static let largestSide = 1000
    /// What a terminal has that does not tell: the VT100's screen.
    public static let standard = CellSize(clamping: 80, 24)

    /// The nearest possible size: each side is moved into 1...`largestSide`.
    public init(clamping columns: Int, _ rows: Int) {
        self.columns = min(max(columns, 1), Self.largestSide)
        self.rows = min(max(rows, 1), Self.largestSide)
    }

    /// The size written as `80x24`: decimal digits, a small x, nothing else; `nil` for anything else and for a side
    /// outside 1...`largestSide`.
    public init?(parsing text: String) {
        let sides = text.utf8.split(separator: UInt8(ascii: "x"), omittingEmptySubsequences: false)
        guard sides.count == 2, let columns = Self.side(sides[0]), let rows = Self.side(sides[1]) else { return nil }
        self.init(clamping: columns, rows)
    }

    /// The size less one row (but never less than one), so that a prompt below a picture does not scroll it away.
    public var lessOneRow: CellSize { CellSize(clamping: columns, rows - 1) }

    /// The part of this size that fits into another.
    package func clamped(to other: CellSize) -> CellSize {
        CellSize(clamping: min(columns, other.columns), min(rows, other.rows))
    }

    /// A number from 1 to `largestSide` of at most four digits, no sign and no space.
    static func side(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...4).contains(digits.count) else { return nil }
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return (1...largestSide).contains(value) ? value : nil
    }
}

extension CellSize: CustomStringConvertible {
    /// For messages: `80x24`.
    public var description: String { "\(columns)x\(rows)" }
}

/// The shape of one character cell: its width and height in any common unit, usually pixels.
public struct CellAspect: Hashable, Sendable {
    /// Width of a cell; at least 1.
    public let width: Int
    /// Height of a cell; at least 1.
    public let height: Int

    /// One to two, so that half a cell is a square: what most fonts come near, and what is taken when nothing better
    /// is known.
    public static let standard = CellAspect(uncheckedWidth: 1, height: 2)

    /// Narrowest and lowest cell that is believed (timg's limits; old terminals report one pixel a cell).
    static let smallestCell = (width: 2, height: 4)
    /// Largest cell that is believed; above it the window's pixels were misreported (chafa #62).
    static let maxCell = (width: 400, height: 400)
    /// Height by width of a cell that is believed; a width above its height is a swapped answer (old VTE).
    static let believedRatio = 1.0...4.0

    private init(uncheckedWidth width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The shape of a cell of so many pixels; `nil` when no font is like that.
    public init?(cellWidth width: Int, cellHeight height: Int) {
        guard (Self.smallestCell.width...Self.maxCell.width).contains(width),
            (Self.smallestCell.height...Self.maxCell.height).contains(height),
            Self.believedRatio.contains(Double(height) / Double(width))
        else { return nil }
        self.init(uncheckedWidth: width, height: height)
    }

    /// Width by height of one half-block pixel: 1 when cells are one to two, above 1 when pixels are wider than high.
    public var halfBlockPixel: Double { Double(2 * width) / Double(height) }
}
