/// A line of progress that is overwritten on a terminal.
///
///     try StreamWriter.standardError.write(progress.bytes(showing: ["12 of 50"]))
///     try StreamWriter.standardError.write(progress.clear)
///
/// Only for a terminal. It moves to the first column, so the line must be empty.
package struct ProgressLine: Sendable {
    private let columns: Int
    private let glyphs: GlyphSet
    private let isDumb: Bool

    /// Creates a line for a terminal; without SGR it is cleared with spaces.
    package init(for terminal: TerminalCapabilities) {
        // A full line would wrap on some terminals.
        columns = max(terminal.size.value.columns - 1, 1)
        glyphs = terminal.glyphs.value
        isDumb = terminal.color.value == .monochrome
    }

    /// The bytes that show the first text that fits, else the last; after a bar if there is room.
    ///
    /// `fraction` is the part of the bar that is full, from 0 to 1.
    package func bytes(showing texts: [TerminalText], fraction: Double? = nil) -> TerminalBytes {
        var bytes = clear
        guard let text = texts.first(where: { $0.width <= columns }) ?? texts.last else { return bytes }
        if let fraction, let width = [30, 20, 10].first(where: { $0 + 2 + text.width <= columns }) {
            bytes.raw += bar(fraction, width).utf8
        }
        bytes.raw += text.truncated(to: columns, glyphs: glyphs).string.utf8
        bytes.residue = isDumb ? .plainProgress : .progress
        return bytes
    }

    /// Returns a bar of so many columns, and two spaces.
    private func bar(_ fraction: Double, _ width: Int) -> String {
        let (full, empty, start, end) = glyphs == .utf8 ? ("█", "░", "", "") : ("#", ".", "[", "]")
        let columns = width - start.count - end.count
        // Full only at the end.
        let filled = Int(min(max(fraction, 0), 1) * Double(columns))
        return start + String(repeating: full, count: filled) + String(repeating: empty, count: columns - filled) + end
            + "  "
    }

    /// The bytes that clear the line.
    package var clear: TerminalBytes {
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
