/// Bytes that may be sent to a terminal: what the types here make of pictures and of clean text, and nothing else.
///
///     try StreamWriter.standardOutput.write(blocks.encode(picture))
///     try StreamWriter.standardError.write(TerminalBytes(line: "nothing found", glyphs: .utf8))
///
/// An escape sequence in them is one that this module spelled.
public struct TerminalBytes: Hashable, Sendable {
    /// The bytes, to look at or to write elsewhere.
    public internal(set) var raw: [UInt8] = []
    /// What the bytes leave on the terminal that is to be taken away again.
    var residue = Residue.none

    /// What a terminal shows after bytes have been written.
    enum Residue: Hashable, Sendable {
        /// Nothing but what was printed.
        case none
        /// A line of progress that a control sequence can clear.
        case progress
        /// A line of progress on a terminal that knows no control sequences.
        case plainProgress
    }

    /// No bytes.
    public init() {}

    /// A line of clean text with its newline, in the characters that may be printed.
    public init(line: TerminalText, glyphs: GlyphSet) {
        raw = Array(line.shown(in: glyphs).string.utf8) + [UInt8(ascii: "\n")]
    }

    /// Text whose maker has escaped what came from outside: JSON lines, help, completion scripts, the manual.
    ///
    /// This is no way around the sanitiser: every control character but newline and tab becomes U+FFFD.
    public init(escaped text: String) {
        raw = Array(text.utf8)
        guard !Self.isHarmless(raw) else { return }
        let scalars = text.unicodeScalars.map { Self.isControl($0) ? "\u{FFFD}" : $0 }
        raw = scalars.flatMap { Array(UTF8.encode($0) ?? UTF8.encodedReplacementCharacter) }
    }

    /// Whether the first look at the bytes finds no control character; the lead byte of the C1 controls is one of others
    /// too.
    private static func isHarmless(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x09 || ($0 >= 0x80 && $0 != 0xC2) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
    }

    /// Whether there is nothing to write.
    public var isEmpty: Bool { raw.isEmpty }
}
