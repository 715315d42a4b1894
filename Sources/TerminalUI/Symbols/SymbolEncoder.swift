package import SpyglassPixels

/// Encodes images as characters that divide a cell into sub-pixels.
///
///     var blocks = SymbolEncoder(.octant, depth: .truecolor)
///     let bytes = blocks.encode(image)  // one row of cells for four rows of pixels
///
/// A stream has colours and newlines only. Rows are independent, so that `less -R`, `head` and `tail` work: each sets
/// its colours and resets them before its newline. Without the reset a background would flood the next line. Nothing
/// precedes the first row. Every row ends with exactly one newline.
///
/// A half-block's cell is `▀` in both colours. Other cells have the pattern and the two colours of least squared error
/// in linear light. It never exceeds that of half-blocks over the same pixels. A cell of one colour is a space (no font
/// seam). Colours that are already set are not sent again. A pattern and its complement with swapped colours look the
/// same: the encoder takes the one that keeps more colours.
///
/// Partial alpha is blended on `background` in linear light. Fully transparent pixels show the terminal's own
/// background, and their colour is ignored. So do missing pixels of the last cells. The opaque part of such a cell has
/// one colour, its mean. A cell without an opaque pixel is a space, since a cursor movement would leave the old text.
///
/// With ASCII glyphs a cell is a space on its mean. Without colour it is one character of a luminance ramp, without SGR.
///
/// In 256 and 16 colours a pixel has the nearest colour of the palette, or the error is diffused (`dithers`).
///
/// Keep the value: for 256 and 16 colours it caches nearest colours (256 KiB). Encoding allocates only its result. In
/// truecolor a cell of half-blocks costs 5 ns, of quadrants 60, of sextants 75, of octants 125.
package struct SymbolEncoder: Sendable {
    /// The characters that divide a cell.
    package let symbols: SymbolSet
    /// The number of colours used.
    package let depth: ColorDepth
    /// The characters used.
    package let glyphs: GlyphSet
    /// The colour under partly transparent pixels; fully transparent ones show the terminal's own background.
    package let background: RGB
    var nearest: NearestColor
    let backdrop: PackedPixel
    private var diffusion: ErrorDiffusion?

    /// Creates an encoder; costs tens of microseconds for the palettes, nothing otherwise.
    ///
    /// With `dithers` 256 and 16 colours diffuse their error from cell to cell. Without it cells are independent:
    /// unchanged parts of changing images keep their cells.
    package init(
        _ symbols: SymbolSet = .half, depth: ColorDepth, glyphs: GlyphSet = .utf8, background: RGB = .black,
        dithers: Bool = false, palette: TerminalPalette = .xterm
    ) {
        self.symbols = symbols
        self.depth = depth
        self.glyphs = glyphs
        self.background = background
        backdrop = PackedPixel(background)
        nearest = NearestColor(depth, palette)
        let hasPalette = depth == .palette256 || depth == .palette16
        let isSolid = glyphs == .ascii
        let needsFit = symbols != .half && !isSolid
        // A half-block's two halves may have any two colours.
        let grid = symbols == .half && !isSolid ? PixelSize(width: 1, height: 1) : symbols.grid
        diffusion =
            hasPalette && (dithers || needsFit)
            ? ErrorDiffusion(
                grid, NearestColor(depth, palette, forAverages: true), isSolid: isSolid,
                carries: dithers, over: backdrop) : nil
    }

    /// Returns an image in the colours that its cells can show.
    ///
    /// With 256 and 16 colours: error diffusion if `dithers`, else a choice by cell for symbols finer than half-blocks.
    /// In all other cases the image itself. `encode` and `cells(of:)` call it; `append(row:of:to:)` takes its result.
    mutating func dithered(_ image: PixelBuffer) -> PixelBuffer { diffusion?.image(of: image) ?? image }

    /// Encodes an image as rows with their newlines.
    package mutating func encode(_ image: PixelBuffer) -> TerminalBytes {
        let image = dithered(image)
        var bytes = TerminalBytes()
        let rows = symbols.rowCount(of: image.size)
        let columns = symbols.columnCount(of: image.size)
        bytes.raw.reserveCapacity(rows * (Self.maxRow(columns: columns) + 1))
        for row in 0..<rows {
            append(row: row, of: image, to: &bytes)
            bytes.raw.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// Appends one row of cells, counted from 0, without a newline, and resets the colours at its end.
    ///
    /// For rows beside other output. Traps for a row outside the image.
    package mutating func append(row: Int, of image: PixelBuffer, to bytes: inout TerminalBytes) {
        precondition(row >= 0 && row < symbols.rowCount(of: image.size), "outside the image")
        switch depth {
        case .monochrome: walkRamp(row, of: image) { bytes.raw.append($0) }
        case .palette16: appendColors(Palette16Scheme.self, row, of: image, to: &bytes.raw)
        case .palette256: appendColors(Palette256Scheme.self, row, of: image, to: &bytes.raw)
        case .truecolor: appendColors(TruecolorScheme.self, row, of: image, to: &bytes.raw)
        }
    }

    /// Encodes an image as the cells that `encode` would write.
    ///
    /// Costs the time of `encode`, and sixteen bytes a cell.
    package mutating func cells(of image: PixelBuffer) -> CellImage {
        let image = dithered(image)
        let rows = symbols.rowCount(of: image.size)
        let columns = symbols.columnCount(of: image.size)
        var cells: [Cell] = []
        cells.reserveCapacity(rows * columns)
        for row in 0..<rows {
            switch depth {
            case .monochrome:
                walkRamp(row, of: image) { cells.append(Cell($0.description.unicodeScalars.first ?? " ", .plain)) }
            case .palette16: appendCells(Palette16Scheme.self, row, of: image, to: &cells)
            case .palette256: appendCells(Palette256Scheme.self, row, of: image, to: &cells)
            case .truecolor: appendCells(TruecolorScheme.self, row, of: image, to: &cells)
            }
        }
        return CellImage(columns: columns, rows: rows, cells: cells)
    }
}
