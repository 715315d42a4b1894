public import SpyglassPixels

/// Composes the lines of a stream from rows of images, gaps and text.
///
///     var composer = StreamComposer(SymbolEncoder(depth: .truecolor))
///     composer.append(thumbnail, columns: 24, gap: 2, beside: [[StyledText(title, .bold)], [StyledText(byline)]])
///     try output.write(composer.take())
///
/// Lines are independent. Each ends with exactly one newline, after a reset if it used colours or styles. Without colour
/// no SGR is sent. With ASCII glyphs text is transliterated, which can widen it: truncate and wrap it for `glyphs`.
public struct StreamComposer: Sendable {
    private var bytes = TerminalBytes()
    private var blocks: SymbolEncoder
    private var line = LineState()

    private struct LineState {
        var usesSGR = false
        var isReset = false
    }

    /// Creates a composer that draws images with this encoder, and text for its depth and glyphs.
    public init(_ blocks: SymbolEncoder) { self.blocks = blocks }

    /// The characters that are printed: truncate and wrap text for them.
    public var glyphs: GlyphSet { blocks.glyphs }

    /// Appends one row of an image's cells, counted from 0; traps outside the image.
    public mutating func append(row: Int, of image: PixelBuffer) {
        blocks.append(row: row, of: image, to: &bytes)
        guard blocks.depth != .monochrome else { return }
        line = LineState(usesSGR: true, isReset: true)
    }

    /// Appends spaces on the terminal's own background.
    public mutating func append(gap columns: Int) {
        guard columns > 0 else { return }
        bytes.raw.append(spaces: columns)
        line.isReset = false
    }

    /// Appends text in a style.
    public mutating func append(_ text: TerminalText, _ style: TextStyle = .plain) {
        guard !text.isEmpty else { return }
        let hasStyle = style != .plain && blocks.depth != .monochrome
        if hasStyle { style.append(to: &bytes.raw) }
        bytes.raw.append(contentsOf: text.shown(in: blocks.glyphs).string.utf8)
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

    /// Appends an image with lines of text at its right, as many lines as the taller of both needs.
    ///
    /// - Parameters:
    ///   - image: the image, or `nil` to leave its space empty.
    ///   - columns: columns reserved for the image, so that texts align. A wider image takes its own width.
    ///   - gap: columns between the image's space and the text.
    ///   - lines: the lines of text, each as pieces from the left.
    public mutating func append(_ image: PixelBuffer?, columns: Int, gap: Int, beside lines: [[StyledText]]) {
        let imageRows = image.map { SymbolSet.half.rowCount(of: $0.size) } ?? 0
        for row in 0..<max(imageRows, lines.count) {
            var used = 0
            if let image, row < imageRows {
                append(row: row, of: image)
                used = image.size.width
            }
            if row < lines.count, lines[row].contains(where: { !$0.text.isEmpty }) {
                append(gap: max(columns - used, 0) + max(gap, 0))
                for piece in lines[row] { append(piece.text, piece.style) }
            }
            endLine()
        }
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
