/// One line that is written over and over, for progress on a terminal.
///
///     try StreamWriter.standardError.write(progress.bytes(showing: "12 of 50"))
///     try StreamWriter.standardError.write(progress.clear)
///
/// Only for a terminal; it moves to the first column, so nothing else may stand on the line.
public struct ProgressLine: Sendable {
    private let columns: Int
    private let glyphs: GlyphSet
    private let isDumb: Bool

    /// A line for a terminal of these capabilities; one without SGR is cleared with spaces.
    public init(for terminal: TerminalCapabilities) {
        // The last column is left free: a full line would wrap on some terminals.
        columns = max(terminal.size.value.columns - 1, 1)
        glyphs = terminal.glyphs.value
        isDumb = terminal.color.value == .monochrome
    }

    /// The bytes that show a text in place of what the line shows now.
    public func bytes(showing text: TerminalText) -> TerminalBytes {
        var bytes = clear
        bytes.raw += text.truncated(to: columns, glyphs: glyphs).string.utf8
        bytes.residue = isDumb ? .plainProgress : .progress
        return bytes
    }

    /// The bytes that empty the line.
    public var clear: TerminalBytes {
        var bytes = TerminalBytes()
        if isDumb {
            bytes.raw.append(UInt8(ascii: "\r"))
            bytes.raw.append(spaces: columns)
            bytes.raw.append(UInt8(ascii: "\r"))
        } else {
            bytes.raw.append(SGR.clearLine)
        }
        return bytes
    }
}
