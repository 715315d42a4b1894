public import SpyglassPixels

/// Composes the lines of a stream from images, gaps and text.
///
///     var composer = StreamComposer(ImageRenderer(ImageRenderer.Options(mode: .half, depth: .truecolor)))
///     try composer.append([StreamTile(thumbnail), StreamTile([[StyledText(title, .bold)], [StyledText(byline)]], column: 26)])
///     try output.write(composer.take())
///
/// Images that are drawn as characters are lines like text. Lines are independent. Each ends with exactly one newline, after
/// a reset if it used colours or styles. Without colour no SGR is sent. With ASCII glyphs text is transliterated, which can
/// widen it: truncate and wrap it for `glyphs`.
///
/// An image of a pixel protocol comes after the lines beside it, so that nothing scrolls while the terminal draws: newlines
/// for its rows, CUU, DECSC, the image, DECRC, CUD and a last newline. The cursor is below it in every terminal, whatever
/// the protocol leaves. The terminal must have more rows than the image.
public struct StreamComposer: Sendable {
    private var bytes = TerminalBytes()
    /// The renderer of the images; keep it, since it caches nearest colours.
    package private(set) var renderer: ImageRenderer
    private var line = LineState()

    private struct LineState {
        var usesSGR = false
        var isReset = false
    }

    /// Creates a composer that draws images with this renderer, and text for its depth and glyphs.
    public init(_ renderer: ImageRenderer) { self.renderer = renderer }

    /// The characters that are printed: truncate and wrap text for them.
    package var glyphs: GlyphSet { renderer.options.glyphs }

    /// Returns the rows of cells of an image of this size.
    package func rowCount(of size: PixelSize) -> Int { renderer.cells(of: size).rows }

    /// Appends spaces on the terminal's own background.
    public mutating func append(gap columns: Int) {
        guard columns > 0 else { return }
        bytes.raw.append(spaces: columns)
        line.isReset = false
    }

    /// Appends text in a style.
    public mutating func append(_ text: TerminalText, _ style: TextStyle = .plain) {
        guard !text.isEmpty else { return }
        let hasStyle = style != .plain && renderer.options.depth != .monochrome
        if hasStyle { style.append(to: &bytes.raw) }
        bytes.raw.append(contentsOf: text.shown(in: glyphs).string.utf8)
        line.isReset = false
        guard hasStyle else { return }
        bytes.raw.append(SGR.reset)
        line = LineState(usesSGR: true, isReset: true)
    }

    /// Ends the line.
    public mutating func endLine() {
        if line.usesSGR, !line.isReset { bytes.raw.append(SGR.reset) }
        bytes.raw.append(UInt8(ascii: "\n"))
        line = LineState()
    }

    /// Appends images and text side by side, in as many lines as the tallest needs.
    ///
    /// - Parameter tiles: from the left, without overlaps.
    /// - Throws: what `PixelCodecs` throws; then nothing is appended.
    public mutating func append(_ tiles: [StreamTile]) throws {
        let parts = try tiles.map { try part(of: $0) }
        for case .placeholders(_, _, let transmission) in parts.compactMap(\.drawing) { bytes.raw += transmission }
        let options = renderer.options
        if options.mode == .kitty, parts.contains(where: { $0.drawing != nil }) {
            bytes.streamedImages = options.isInsideTmux ? .kittyInTmux : .kitty
        }
        let placed = parts.filter(\.isPlaced)
        let placedRows = placed.map(\.rows).max() ?? 0
        for row in 0..<(parts.map(\.rows).max() ?? 0) {
            var used = 0
            for part in parts where part.hasText(inRow: row) {
                append(gap: part.column - used)
                used = part.column + append(part, row: row)
            }
            endLine()
            if row + 1 == placedRows { place(placed, rows: placedRows) }
        }
    }

    /// A tile with its drawing.
    private struct Part {
        let column: Int
        let rows: Int
        let lines: [[StyledText]]
        var columns = 0
        var drawing: StreamDrawing?

        var isPlaced: Bool { if case .inline = drawing { true } else { false } }

        func hasText(inRow row: Int) -> Bool {
            guard row < rows, !isPlaced else { return false }
            return drawing != nil || lines[row].contains { !$0.text.isEmpty }
        }
    }

    private mutating func part(of tile: StreamTile) throws -> Part {
        switch tile.content {
        case .lines(let lines): return Part(column: tile.column, rows: lines.count, lines: lines)
        case .image(let image):
            let cells = renderer.cells(of: image.size)
            return Part(
                column: tile.column, rows: cells.rows, lines: [], columns: cells.columns,
                drawing: try renderer.drawing(of: image))
        }
    }

    /// Appends a row of a part without a newline; returns its columns.
    private mutating func append(_ part: Part, row: Int) -> Int {
        switch part.drawing {
        case .symbols(let image):
            renderer.symbols.append(row: row, of: image, to: &bytes)
            guard renderer.options.depth != .monochrome else { break }
            line = LineState(usesSGR: true, isReset: true)
        case .placeholders(let id, let cells, _):
            bytes.raw.append(placeholdersOf: id, row: row, columns: cells.columns, in: renderer.options.depth)
            line = LineState(usesSGR: true, isReset: true)
        case .inline, nil:
            for piece in part.lines[row] { append(piece.text, piece.style) }
            return part.lines[row].reduce(0) { $0 + $1.text.shown(in: glyphs).width }
        }
        return part.columns
    }

    /// Draws images on the rows above the cursor, which is in the first column.
    private mutating func place(_ parts: [Part], rows: Int) {
        bytes.residue = .picture
        bytes.raw.append(cursorUp: rows)
        var column = 0
        for part in parts {
            guard case .inline(let payload) = part.drawing else { continue }
            bytes.raw.append(cursorForward: part.column - column)
            column = part.column
            bytes.raw.append(SGR.saveCursor)
            bytes.raw += payload
            bytes.raw.append(SGR.restoreCursor)
        }
        if column > 0 { bytes.raw.append(UInt8(ascii: "\r")) }
        bytes.raw.append(cursorDown: rows - 1)
        bytes.raw.append(UInt8(ascii: "\n"))
    }

    /// Returns the composed bytes, for one write, and resets the composer.
    public mutating func take() -> TerminalBytes {
        defer {
            bytes = TerminalBytes()
            line = LineState()
        }
        return bytes
    }
}

/// An image or lines of text, in a row of a stream.
public struct StreamTile: Sendable {
    enum Content: Sendable {
        case image(PixelBuffer)
        case lines([[StyledText]])
    }

    let content: Content
    /// The column of the left edge, from 0.
    let column: Int

    /// Creates a tile of an image.
    public init(_ image: PixelBuffer, column: Int = 0) {
        content = .image(image)
        self.column = column
    }

    /// Creates a tile of lines of text, each as pieces from the left.
    public init(_ lines: [[StyledText]], column: Int = 0) {
        content = .lines(lines)
        self.column = column
    }
}
