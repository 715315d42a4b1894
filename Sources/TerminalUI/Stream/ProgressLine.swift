/// A line of progress that is overwritten on a terminal.
///
///     try StreamWriter.standardError.write(progress.bytes(showing: "12 of 50"))
///     try StreamWriter.standardError.write(progress.clear)
///
/// Only for a terminal. It moves to the first column, so the line must be empty.
public struct ProgressLine: Sendable {
    private let columns: Int
    private let glyphs: GlyphSet
    private let isDumb: Bool

    /// Creates a line for a terminal; without SGR it is cleared with spaces.
    public init(for terminal: TerminalCapabilities) {
        // A full line would wrap on some terminals.
        columns = max(terminal.size.value.columns - 1, 1)
        glyphs = terminal.glyphs.value
        isDumb = terminal.color.value == .monochrome
    }

    /// Returns the bytes that replace the line by a text.
    public func bytes(showing text: TerminalText) -> TerminalBytes {
        var bytes = clear
        bytes.raw += text.truncated(to: columns, glyphs: glyphs).string.utf8
        bytes.residue = isDumb ? .plainProgress : .progress
        return bytes
    }

    /// The bytes that clear the line.
    public var clear: TerminalBytes {
        var bytes = TerminalBytes()
        if isDumb {
            bytes.raw.append("\r" as StaticString)
            bytes.raw.append(spaces: columns)
            bytes.raw.append("\r" as StaticString)
        } else {
            bytes.raw.append(SGR.clearLine)
        }
        return bytes
    }
}
