/// What stands in one cell of a grid: a character, and how it looks.
///
/// Sixteen bytes without padding and no reference, so that grids are compared and copied as memory. What does not fit a
/// scalar (an emoji sequence, a letter with marks) is a number that the grid knows the text of.
public struct Cell: Hashable, Sendable {
    /// A scalar, which has `pictureBit` in a picture; `continuation`; or, with `clusterBit`, the number of a cluster in
    /// the grid.
    var glyph: UInt32
    /// How it looks.
    public var style: CellStyle

    /// The glyph of every cell of a wide character but the first.
    static let continuation: UInt32 = 0
    /// Marks the number of a cluster; scalars end at 0x10FFFF.
    static let clusterBit: UInt32 = 0x8000_0000
    /// Marks a cell of a picture, whose colours may be shown nearly.
    static let pictureBit: UInt32 = 0x4000_0000

    static let space: UInt32 = 0x20
    static let upperBlock: UInt32 = 0x2580
    static let lowerBlock: UInt32 = 0x2584
    static let replacement: UInt32 = 0xFFFD

    /// An empty cell.
    public static let blank = Cell(glyph: space, style: .plain)

    init(glyph: UInt32, style: CellStyle) {
        self.glyph = glyph
        self.style = style
    }

    /// A cell with one character, one column wide.
    init(_ scalar: Unicode.Scalar, _ style: CellStyle) { self.init(glyph: scalar.value, style: style) }

    var isContinuation: Bool { glyph == Self.continuation }
    var isCluster: Bool { glyph & Self.clusterBit != 0 }
    var isPicture: Bool { glyph & (Self.pictureBit | Self.clusterBit) == Self.pictureBit }
    /// The number of the cluster that stands here.
    var cluster: Int { Int(glyph & ~Self.clusterBit) }
    /// The value of the scalar that stands here.
    var scalar: UInt32 { glyph & ~Self.pictureBit }

    /// Whether only the background is seen.
    var isBare: Bool {
        !isCluster && scalar == Self.space && style.attributes.isDisjoint(with: [.underline, .reverse])
    }

    /// The cell without what nobody sees: the look of ink where there is none.
    var withoutUnseen: Cell {
        guard isBare else { return self }
        return Cell(glyph: glyph, style: CellStyle(background: style.background))
    }
}
