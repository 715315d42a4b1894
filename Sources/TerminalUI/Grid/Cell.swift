/// A colour as sent to the terminal; equal values look alike.
public struct CellColor: Hashable, Sendable {
    /// Red, green and blue from the high byte below 2^24; above it `paletteBase` plus an index, or `terminalDefault`.
    let number: UInt32
    private static let paletteBase: UInt32 = 0x0100_0000
    /// The terminal's own foreground or background (SGR 39, 49).
    public static let terminalDefault = CellColor(number: 0x0200_0000)

    /// One of the terminal's 256 colours; users configure the first sixteen.
    public static func palette(_ index: UInt8) -> CellColor { CellColor(number: paletteBase | UInt32(index)) }

    /// A 24-bit colour.
    public static func rgb(_ color: RGB) -> CellColor {
        CellColor(number: UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue))
    }

    /// The channels of a 24-bit colour.
    package var channels: RGB? {
        guard number < Self.paletteBase else { return nil }
        return RGB(UInt8(number >> 16), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
    }

    /// The index of a palette colour.
    package var paletteIndex: UInt8? { number & 0xFF00_0000 == Self.paletteBase ? UInt8(number & 0xFF) : nil }
}

/// How a cell looks.
public struct CellStyle: Hashable, Sendable {
    /// The colour of the character.
    public var foreground: CellColor
    /// The colour behind it.
    public var background: CellColor
    /// The attributes, in four bytes so that a cell has no padding.
    private var attributeBits: UInt32

    /// Bold, dim, underlined, reversed.
    public var attributes: TextStyle.Attributes {
        get { TextStyle.Attributes(rawValue: UInt8(truncatingIfNeeded: attributeBits)) }
        set { attributeBits = UInt32(newValue.rawValue) }
    }

    /// Default colours without attributes.
    public static let plain = CellStyle()

    /// Creates a style.
    public init(
        foreground: CellColor = .terminalDefault, background: CellColor = .terminalDefault,
        _ attributes: TextStyle.Attributes = []
    ) {
        self.foreground = foreground
        self.background = background
        attributeBits = UInt32(attributes.rawValue)
    }
}

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
    /// Marks a cell of an image.
    static let imageBit: UInt32 = 0x4000_0000
    /// Marks a cell of a picture in pixels: the low bits are its row and its column in the picture, the foreground is the
    /// picture's number, or for a placeholder its id in the terminal.
    static let placedBit: UInt32 = 0x2000_0000
    /// Marks a cell of a picture that kitty draws by a character.
    static let placeholderBit: UInt32 = 0x1000_0000
    /// Marks a placeholder that continues its left neighbour, so that it needs no row and column.
    static let continuesBit: UInt32 = 0x0800_0000
    private static let rowShift: UInt32 = 10
    static let space: UInt32 = 0x20
    static let replacement: UInt32 = 0xFFFD
    static let blank = Cell(glyph: space, style: .plain)

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

    /// The cell without the invisible foreground of a space.
    var normalized: Cell {
        guard isBare else { return self }
        return Cell(glyph: glyph, style: CellStyle(background: style.background))
    }
}

extension Cell {
    init(_ scalar: Unicode.Scalar, _ style: CellStyle) { self.init(glyph: scalar.value, style: style) }

    init(placedRow row: Int, column: Int, of number: UInt32) {
        self.init(
            glyph: Self.placedBit | UInt32(row) << Self.rowShift | UInt32(column),
            style: CellStyle(foreground: CellColor(number: number)))
    }
}

/// An image as cells, ready to be drawn in a grid.
///
///     let image = blocks.cells(of: thumbnail)
public struct CellImage: Hashable, Sendable {
    /// Cells across.
    public let columns: Int
    /// Cells down.
    public let rows: Int
    /// With a payload: half-blocks, for an image that is partly covered or clipped.
    let cells: [Cell]
    /// The image as pixels, or `nil` if it is drawn as characters.
    var payload: PixelPayload?
    /// A kitty image at half the size, which the terminal enlarges, for slower lines.
    var halfPayload: PixelPayload?
    /// The bytes of the image as pixels.
    package var pixelBytes: Int { payload?.bytes.count ?? 0 }
    /// The animation that kitty plays in its place, once it has all frames.
    var animation: PixelPayload?

    /// Returns the image as one frame of an animation, which the next one replaces.
    package var asFrame: CellImage {
        var image = self
        image.payload?.isFrame = true
        image.halfPayload = nil
        return image
    }

    /// Returns the animation, to be started again if the terminal has not done so.
    package var playedAgain: CellImage {
        var image = self
        image.payload?.playCount += 1
        return image
    }

    /// Returns the image while it is played: `frame` is one frame, or an animation that the terminal plays in its cells.
    package func playing(_ frame: CellImage) -> CellImage {
        guard frame.payload?.isAnimation == true else { return frame }
        var image = self
        image.animation = frame.payload
        return image
    }
}
