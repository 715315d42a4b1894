package import SpyglassPixels

/// A size in character cells; each side is from 1 to `largestSide`.
///
///     CellSize(parsing: "80x24")  // 80 columns, 24 rows
///
/// Never a size in pixels: `ImageRenderer.pixelBox(for:)` converts.
public struct CellSize: Hashable, Sendable {
    /// Cells in a row.
    public let columns: Int
    /// Rows.
    public let rows: Int
    /// The maximum of columns and rows, above any real terminal: an 8K screen has 960 columns in a font 8 pixels wide.
    package static let largestSide = 1000
    /// 80x24, the VT100's screen: used if the terminal reports no size.
    public static let standard = CellSize(clamping: 80, 24)

    /// Creates the nearest valid size: each side is moved into 1...`largestSide`.
    public init(clamping columns: Int, _ rows: Int) {
        self.columns = min(max(columns, 1), Self.largestSide)
        self.rows = min(max(rows, 1), Self.largestSide)
    }

    /// Parses `80x24`: decimal digits and a small x; `nil` for anything else and for a side outside 1...`largestSide`.
    package init?(parsing text: String) {
        let sides = text.utf8.split(separator: UInt8(ascii: "x"), omittingEmptySubsequences: false)
        guard sides.count == 2, let columns = Self.side(sides[0]), let rows = Self.side(sides[1]) else { return nil }
        self.init(clamping: columns, rows)
    }

    package func clamped(to other: CellSize) -> CellSize {
        CellSize(clamping: min(columns, other.columns), min(rows, other.rows))
    }

    /// Parses a number from 1 to `largestSide`: at most four digits, no sign, no space.
    package static func side(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...4).contains(digits.count), digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let value = Int(String(decoding: digits, as: UTF8.self)), (1...largestSide).contains(value)
        else { return nil }
        return value
    }
}

extension CellSize: CustomStringConvertible {
    /// For messages: `80x24`.
    public var description: String { "\(columns)x\(rows)" }
}

/// The shape of one character cell: its width and height in any common unit, usually pixels.
package struct CellAspect: Hashable, Sendable {
    /// Width of a cell; at least 1.
    package let width: Int
    /// Height of a cell; at least 1.
    package let height: Int
    /// One to two, so that half a cell is a square.
    ///
    /// Close to most fonts; used if the real ratio is unknown.
    package static let standard = CellAspect(uncheckedWidth: 1, height: 2)
    /// Plausible widths in pixels, from timg's limit (old terminals report one pixel) to misreported windows (chafa #62).
    static let widths = 2...400
    static let heights = 4...400
    /// Plausible heights by width; a width above its height is a swapped reply (old VTE).
    static let ratios = 1.0...4.0

    private init(uncheckedWidth width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Creates the shape of a cell of so many pixels; `nil` if no font is like that.
    package init?(cellWidth width: Int, cellHeight height: Int) {
        guard Self.widths.contains(width), Self.heights.contains(height),
            Self.ratios.contains(Double(height) / Double(width))
        else { return nil }
        self.init(uncheckedWidth: width, height: height)
    }

    /// Creates the shape of a cell of this size; `nil` if no font is like that.
    package init?(_ pixels: PixelSize) { self.init(cellWidth: pixels.width, cellHeight: pixels.height) }
}

extension PixelSize {
    /// Creates the size of one cell; `nil` if no font is like that.
    package init?(cellWidth: Int, height: Int) {
        guard CellAspect(cellWidth: cellWidth, cellHeight: height) != nil else { return nil }
        self.init(width: cellWidth, height: height)
    }

    /// Parses the size of one cell, `10x20`; `nil` for anything else.
    package init?(parsingCell text: String) {
        guard let sides = CellSize(parsing: text) else { return nil }
        self.init(cellWidth: sides.columns, height: sides.rows)
    }
}
