public import SpyglassPixels

/// Puts together the lines of a stream: a row of a picture, a gap, text.
///
///     var composer = StreamComposer(HalfBlock(depth: .truecolor))
///     composer.append(thumbnail, columns: 24, gap: 2, beside: [[StyledText(title, .bold)], [StyledText(byline)]])
///     try output.write(composer.take())
///
/// Every line stands by itself and ends with exactly one newline, before which colours and styles are reset if the line
/// used any. Without colour there is no SGR at all. Text is rewritten in ASCII where only that may be printed, which
/// can widen it: truncate and wrap it for `glyphs` before.
public struct StreamComposer: Sendable {
    /// What has been composed and not been taken yet.
    private var bytes = TerminalBytes()
    private var blocks: HalfBlock
    private var line = LineState()

    /// What the line being composed holds so far.
    private struct LineState {
        var usesSGR = false
        /// Whether the last bytes are a reset, so that none need be sent again.
        var isReset = false
    }

    /// A composer that draws pictures with this encoder, and text to suit its depth and glyphs.
    public init(_ blocks: HalfBlock) {
        self.blocks = blocks
    }

    /// Which characters are printed: what text is to be truncated and wrapped for.
    public var glyphs: GlyphSet { blocks.glyphs }

    /// Appends one row of a picture's cells, counted from 0; outside the picture it traps.
    public mutating func append(row: Int, of picture: PixelBuffer) {
        blocks.append(row: row, of: picture, to: &bytes)
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

    /// Appends a picture with lines of text at its right, as many lines as the taller of both needs.
    ///
    /// - Parameters:
    ///   - picture: the picture, or `nil` to leave its place empty.
    ///   - columns: columns kept for the picture, so that texts line up under each other; a wider picture takes its own
    ///     width on its rows.
    ///   - gap: columns between the picture's place and the text.
    ///   - lines: the text, a line an element, pieces from the left.
    public mutating func append(_ picture: PixelBuffer?, columns: Int, gap: Int, beside lines: [[StyledText]]) {
        let pictureRows = picture.map { HalfBlock.rowCount(of: $0.size) } ?? 0
        for row in 0..<max(pictureRows, lines.count) {
            var used = 0
            if let picture, row < pictureRows {
                append(row: row, of: picture)
                used = picture.size.width
            }
            if row < lines.count, lines[row].contains(where: { !$0.text.isEmpty }) {
                append(gap: max(columns - used, 0) + max(gap, 0))
                for piece in lines[row] { append(piece.text, piece.style) }
            }
            endLine()
        }
    }

    /// The composed bytes, for one write; the composer is as new afterwards.
    public mutating func take() -> TerminalBytes {
        defer {
            bytes = TerminalBytes()
            line = LineState()
        }
        return bytes
    }
}
