/// A character and its style: sixteen bytes without padding or references, compared and copied as memory.
struct Cell: Hashable, Sendable {
    /// A scalar, with `imageBit` in an image; `continuation`; an index of `GraphemeTable` with `graphemeBit`; or a part of
    /// a picture in pixels with `placedBit`.
    var glyph: UInt32
    var style: CellStyle
    /// The glyph of every cell of a wide character but the first.
    static let continuation: UInt32 = 0
    /// Marks the index of a grapheme; scalars end at 0x10FFFF.
    static let graphemeBit: UInt32 = 0x8000_0000
    /// Marks a cell of an image, whose colours may be approximated.
    static let imageBit: UInt32 = 0x4000_0000
    /// Marks a cell of a picture in pixels: the low bits are its row and its column in the picture, the foreground is the
    /// picture's number, or for a placeholder its id in the terminal.
    static let placedBit: UInt32 = 0x2000_0000
    /// Marks a cell of a picture that is drawn as a character of kitty's.
    static let placeholderBit: UInt32 = 0x1000_0000
    /// Marks a placeholder at whose left is that of the column before, so that it needs no row and column.
    static let continuesBit: UInt32 = 0x0800_0000
    private static let rowShift: UInt32 = 10
    static let space: UInt32 = 0x20
    static let upperBlock: UInt32 = 0x2580
    static let lowerBlock: UInt32 = 0x2584
    static let replacement: UInt32 = 0xFFFD
    static let blank = Cell(glyph: space, style: .plain)

    init(glyph: UInt32, style: CellStyle) {
        self.glyph = glyph
        self.style = style
    }

    init(_ scalar: Unicode.Scalar, _ style: CellStyle) { self.init(glyph: scalar.value, style: style) }

    init(placedRow row: Int, column: Int, of number: UInt32) {
        self.init(
            glyph: Self.placedBit | UInt32(row) << Self.rowShift | UInt32(column),
            style: CellStyle(foreground: CellColor(number: number)))
    }

    var isContinuation: Bool { glyph == Self.continuation }
    var isGrapheme: Bool { glyph & Self.graphemeBit != 0 }
    var isImage: Bool { glyph & (Self.imageBit | Self.graphemeBit) == Self.imageBit }
    var isPlaced: Bool { glyph & (Self.placedBit | Self.imageBit | Self.graphemeBit) == Self.placedBit }
    var isPlaceholder: Bool { isPlaced && glyph & Self.placeholderBit != 0 }
    var placedRow: Int { Int(glyph >> Self.rowShift & 0x3FF) }
    var placedColumn: Int { Int(glyph & 0x3FF) }
    var graphemeIndex: Int { Int(glyph & ~Self.graphemeBit) }
    var scalar: UInt32 { glyph & ~Self.imageBit }

    var isBare: Bool {
        !isGrapheme && scalar == Self.space && style.attributes.isDisjoint(with: [.underline, .reverse])
    }

    /// The cell without invisible style: the foreground of a space.
    var normalized: Cell {
        guard isBare else { return self }
        return Cell(glyph: glyph, style: CellStyle(background: style.background))
    }

    /// The colours of an image's cell: of the glyph, and around it.
    var inside: CellColor { scalar == Self.space ? style.background : style.foreground }
    var outside: CellColor { style.background }
}

/// An image as cells, ready to be drawn in a grid.
///
///     let image = blocks.cells(of: thumbnail)
public struct CellImage: Hashable, Sendable {
    /// Cells across.
    public let columns: Int
    /// Cells down.
    public let rows: Int
    /// With a payload: in half-blocks, for what an overlay or a clip leaves of the image.
    let cells: [Cell]
    /// The image as pixels, or `nil` if it is drawn as characters.
    var payload: PixelPayload?
}
