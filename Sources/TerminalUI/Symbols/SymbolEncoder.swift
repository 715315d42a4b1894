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
/// A cell has the pattern of least squared error in sRGB values, and each side's mean in linear light. A cell of one
/// colour is a space (no font seam). Colours that are already set are not sent again. A pattern and its complement with
/// swapped colours look the same: the encoder takes the one that keeps more colours. The last cells repeat the image's edge.
///
/// Partial alpha is blended on `background` in linear light. Fully transparent pixels show the terminal's own
/// background, and their colour is ignored. The opaque part of such a cell has one colour, its mean. A cell without an
/// opaque pixel is a space, since a cursor movement would leave the old text.
///
/// With ASCII glyphs a cell is a space on its mean. Without colour it is one character of a luminance ramp, without SGR.
///
/// In 256 and 16 colours a pixel has the nearest colour of the palette, or the error is diffused (`dithers`).
///
/// Keep the value: for 256 and 16 colours it caches nearest colours (256 KiB).
package struct SymbolEncoder: Sendable {
    /// The characters that divide a cell.
    package let symbols: SymbolSet
    /// The number of colours.
    package let depth: ColorDepth
    /// The characters used.
    package let glyphs: GlyphSet
    private var nearest: NearestColor
    /// The colour under partly transparent pixels; fully transparent ones show the terminal's own background.
    private let backdrop: PackedPixel
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
        backdrop = PackedPixel(background)
        nearest = NearestColor(depth, palette)
        let hasPalette = depth == .palette256 || depth == .palette16
        let isSolid = glyphs == .ascii
        let needsFit = symbols != .half && !isSolid
        // A half may have any colour: the error goes from half to half.
        let isHalf = symbols == .half && !isSolid
        diffusion =
            hasPalette && (dithers || needsFit)
            ? ErrorDiffusion(
                isHalf ? PixelSize(width: 2, height: 1) : symbols.grid,
                NearestColor(depth, palette, forAverages: true), isSolid: isSolid || isHalf,
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
        for row in 0..<symbols.rowCount(of: image.size) {
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
        var (foreground, background): (CellColor?, CellColor?)
        for cell in cells(ofRow: row, of: image) {
            // The foreground of a space is invisible.
            let isForegroundNew = cell.scalar != Cell.space && cell.style.foreground != foreground
            let isBackgroundNew = cell.style.background != background
            if depth != .monochrome, isForegroundNew || isBackgroundNew {
                bytes.raw.append(SGR.introducer)
                if isForegroundNew { bytes.raw.append(foreground: cell.style.foreground) }
                if isBackgroundNew { bytes.raw.append(background: cell.style.background) }
                bytes.raw.endSGR()
                if isForegroundNew { foreground = cell.style.foreground }
                background = cell.style.background
            }
            bytes.raw.append(scalar: cell.scalar)
        }
        if depth != .monochrome { bytes.raw.append(SGR.reset) }
    }

    /// Encodes an image as the cells that `encode` would write.
    package mutating func cells(of image: PixelBuffer) -> CellImage {
        let image = dithered(image)
        let rows = symbols.rowCount(of: image.size)
        return CellImage(
            columns: symbols.columnCount(of: image.size), rows: rows,
            cells: (0..<rows).flatMap { cells(ofRow: $0, of: image) })
    }

    private mutating func cells(ofRow row: Int, of image: PixelBuffer) -> [Cell] {
        let row = CellRow(row, of: image, symbols)
        var result = SymbolRow()
        for column in 0..<symbols.columnCount(of: image.size) {
            if depth == .monochrome {
                result.cells.append(Cell(row.mean(column, over: backdrop).map(rampCharacter) ?? " ", .plain))
            } else if glyphs == .ascii {
                let mean = row.mean(column, over: backdrop).map { PackedPixel(linear: $0) }
                result.space(on: color(of: mean ?? .transparent))
            } else {
                append(SymbolFit(row, column, over: backdrop), to: &result)
            }
        }
        return result.cells
    }

    private mutating func append(_ fit: SymbolFit, to row: inout SymbolRow) {
        let table = symbols.table
        let inside = color(of: fit.inside)
        if !fit.isOpen {
            let complement = table.common[table.common.count - 1 - fit.pattern]
            row.put(table.common[fit.pattern], inside, orElse: complement, color(of: fit.outside))
        } else if fit.pattern == 0 {
            row.space(on: .terminalDefault)
        } else {
            row.put(table.open[fit.pattern], inside, on: .terminalDefault)
        }
    }

    private mutating func color(of pixel: PackedPixel) -> CellColor {
        if pixel.isTransparent { return .terminalDefault }
        let opaque = pixel.isOpaque ? pixel : PackedPixel(linear: pixel.linear(over: backdrop))
        return depth == .truecolor ? .rgb(opaque.color) : .palette(nearest.index(of: opaque))
    }

    private static let asciiRamp = Array(" .:-=+*#%@".unicodeScalars)
    private static let utf8Ramp = Array(" ░▒▓█".unicodeScalars)

    /// The character of a mean linear light: denser is lighter, or darker on a light background.
    private func rampCharacter(_ mean: SIMD3<Float>) -> Unicode.Scalar {
        let ramp = glyphs == .utf8 ? Self.utf8Ramp : Self.asciiRamp
        let level = min(max(Int(lightness(mean) * Float(ramp.count)), 0), ramp.count - 1)
        return ramp[lightness(backdrop.linear) > 0.5 ? ramp.count - 1 - level : level]
    }
}

/// The cells of one image row from left to right.
private struct SymbolRow {
    var cells: [Cell] = []
    private var foreground: CellColor?
    private var background: CellColor?

    mutating func space(on color: CellColor) {
        background = color
        cells.append(Cell(glyph: Cell.space | Cell.imageBit, style: CellStyle(background: color)))
    }

    mutating func put(_ glyph: UInt32, _ color: CellColor, on background: CellColor) {
        (foreground, self.background) = (color, background)
        cells.append(Cell(glyph: glyph | Cell.imageBit, style: CellStyle(foreground: color, background: background)))
    }

    /// Puts a character or its complement with swapped colours, whichever keeps more of the current colours.
    ///
    /// One of them may be 0: it is not used.
    mutating func put(_ glyph: UInt32, _ inside: CellColor, orElse complement: UInt32, _ outside: CellColor) {
        if inside == outside { return space(on: outside) }
        let kept = (inside == foreground ? 1 : 0) + (outside == background ? 1 : 0)
        let swappedKept = (outside == foreground ? 1 : 0) + (inside == background ? 1 : 0)
        if glyph == 0 || (complement != 0 && swappedKept > kept) {
            put(complement, outside, on: inside)
        } else {
            put(glyph, inside, on: outside)
        }
    }
}
