/// A colour as the terminal is told it: equal values look alike on the screen.
public struct CellColor: Hashable, Sendable {
    /// Below 2^24 red, green and blue from the high byte; `paletteBase` and above an index; else `standard`.
    let number: UInt32

    private static let paletteBase: UInt32 = 0x0100_0000

    /// The terminal's own foreground or background.
    public static let standard = CellColor(number: 0x0200_0000)

    /// One of the terminal's 256 colours; the first sixteen are the user's choice.
    public static func palette(_ index: UInt8) -> CellColor { CellColor(number: paletteBase | UInt32(index)) }

    /// 24 bits.
    public static func rgb(_ color: RGB) -> CellColor {
        CellColor(number: UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue))
    }

    /// The index of a palette colour.
    public var paletteIndex: UInt8? { number & 0xFF00_0000 == Self.paletteBase ? UInt8(number & 0xFF) : nil }

    /// The channels of a 24-bit colour.
    public var channels: RGB? {
        guard number < Self.paletteBase else { return nil }
        return RGB(UInt8(number >> 16), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
    }
}

/// How a cell looks.
public struct CellStyle: Hashable, Sendable {
    /// The colour of the character.
    public var foreground: CellColor
    /// What stands behind it.
    public var background: CellColor
    /// Bold, dim, underlined.
    public var attributes: TextStyle.Attributes

    /// The terminal's own look.
    public static let plain = CellStyle()

    /// A style.
    public init(
        foreground: CellColor = .standard, background: CellColor = .standard, _ attributes: TextStyle.Attributes = []
    ) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }
}

/// What stands in one cell of a grid: a character, and how it looks.
///
/// Sixteen bytes and no reference, so that grids are compared and copied as memory. What does not fit a scalar (an emoji sequence, a
/// letter with marks) is a number that the grid knows the text of.
public struct Cell: Hashable, Sendable {
    /// A scalar; `continuation`; or, with the highest bit, the number of a cluster in the grid.
    var glyph: UInt32
    /// How it looks.
    public var style: CellStyle

    /// The glyph of the second cell of a wide character.
    static let continuation: UInt32 = 0
    static let clusterBit: UInt32 = 0x8000_0000

    /// An empty cell.
    public static let blank = Cell(glyph: 0x20, style: .plain)

    init(glyph: UInt32, style: CellStyle) {
        self.glyph = glyph
        self.style = style
    }

    /// A cell with one character, one column wide.
    init(_ scalar: Unicode.Scalar, _ style: CellStyle) { self.init(glyph: scalar.value, style: style) }

    var isContinuation: Bool { glyph == Self.continuation }
}
