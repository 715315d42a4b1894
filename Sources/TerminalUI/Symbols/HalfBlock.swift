public import SpyglassPixels

/// Draws pictures as half-blocks for a stream: two pixels a cell, colours and newlines only.
///
///     var blocks = HalfBlock(depth: .truecolor)
///     let bytes = blocks.encode(picture)  // one row of cells for two rows of pixels
///
/// Every row stands by itself, so that `less -R`, `head` and `tail` work: it sets the colours it needs, assumes none,
/// and resets them before its newline (else a background would flood the line that scrolls in). Nothing comes before
/// the first row; every row, also the last, ends with exactly one newline.
///
/// A cell is `▀` in both colours; `▀` or `▄` on the terminal's own background where only one half is opaque; a space on
/// it where none is (a cursor movement would leave what stood there); a space on one colour where the halves are alike
/// (no font seam). The half that an odd last row lacks is transparent. A colour that is already set is not sent again.
/// Partial alpha is blended on `background` in linear light; the colour of a fully transparent pixel never shows.
///
/// Where the characters must be ASCII a cell is a space on the mean of both halves. Without colour it is one character
/// of a luminance ramp, with no SGR at all.
///
/// A value to keep: for 256 and 16 colours it remembers which colour is nearest to which (256 KiB, filled as colours
/// come). Encoding allocates nothing for a cell, and for a whole picture only its result.
public struct HalfBlock: Sendable {
    /// How many colours are used.
    public let depth: ColorDepth
    /// Which characters are used.
    public let glyphs: GlyphSet
    /// What partly transparent pixels are blended on; fully transparent ones show the terminal's own background.
    public let background: RGB

    var nearest: NearestColor
    let backdrop: PackedPixel

    /// An encoder.
    ///
    /// For truecolor and for no colour nothing is computed here; for the palettes some tens of microseconds go into it.
    public init(depth: ColorDepth, glyphs: GlyphSet = .utf8, background: RGB = .black) {
        self.depth = depth
        self.glyphs = glyphs
        self.background = background
        backdrop = PackedPixel(background)
        nearest =
            switch depth {
            case .monochrome, .truecolor: NearestColor()
            case .palette256: NearestColor(XtermPalette.cubeAndGreys, first: 16)
            case .palette16: NearestColor(XtermPalette.sixteen, first: 0)
            }
    }

    /// The pixels that fit into a box of cells: one for a column, two for a row.
    public static func pixelBox(for cells: CellSize) -> PixelSize {
        PixelSize(width: cells.columns, height: 2 * cells.rows)
    }

    /// How many rows of cells a picture of this size takes.
    public static func rowCount(of size: PixelSize) -> Int { size.height / 2 + size.height % 2 }

    /// `ESC [ 49 m` before an indent, and the newline.
    private static let lineOverhead = 6

    /// A whole picture as rows with their newlines, moved right by `indent` cells.
    public mutating func encode(_ picture: PixelBuffer, indent: Int = 0) -> TerminalBytes {
        var bytes = TerminalBytes()
        let rows = Self.rowCount(of: picture.size)
        bytes.raw.reserveCapacity(
            rows * (Self.maxRow(columns: picture.size.width) + max(indent, 0) + Self.lineOverhead))
        for row in 0..<rows {
            if indent > 0 {
                if depth != .monochrome { bytes.raw.append(SGR.defaultBackground) }
                bytes.raw.append(spaces: indent)
            }
            append(row: row, of: picture, to: &bytes)
            bytes.raw.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// Appends one row of cells, counted from 0, without a newline; the terminal's own colours are set again at its
    /// end.
    ///
    /// For what stands beside other things on a line. A row outside the picture is a programming error and traps.
    public mutating func append(row: Int, of picture: PixelBuffer, to bytes: inout TerminalBytes) {
        precondition(row >= 0 && row < Self.rowCount(of: picture.size), "outside the picture")
        switch depth {
        case .monochrome: appendRamp(row, of: picture, to: &bytes.raw)
        case .palette16: appendColors(Palette16Scheme.self, row, of: picture, to: &bytes.raw)
        case .palette256: appendColors(Palette256Scheme.self, row, of: picture, to: &bytes.raw)
        case .truecolor: appendColors(TruecolorScheme.self, row, of: picture, to: &bytes.raw)
        }
    }
}
