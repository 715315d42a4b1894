/// Bytes that may be sent to a terminal.
///
/// Only this module creates them, from images and clean text.
///
///     try StreamWriter.standardOutput.write(blocks.encode(image))
///     try StreamWriter.standardError.write(TerminalBytes(line: "nothing found", glyphs: .utf8))
///
/// Every escape sequence in them comes from this module.
public struct TerminalBytes: Hashable, Sendable {
    /// The bytes, for inspection or another output.
    public internal(set) var raw: [UInt8] = []
    /// The bytes of shared memory that they name, which the terminal reads, too.
    package internal(set) var sharedBytes = 0
    /// The state to undo if the process ends after these bytes.
    var residue = Residue.none

    /// The images that a stream sends in parts, which must be ended if the process ends.
    var streamedImages: StreamedImages?

    enum StreamedImages: Hashable, Sendable {
        case kitty
        case kittyInTmux
    }

    /// The images that a session deletes from the terminal when it ends.
    var kittyImages = ImageResidue()

    struct ImageResidue: Hashable, Sendable {
        /// The number of ids that have been used.
        var count = 0
        var isInsideTmux = false
    }

    enum Residue: Hashable, Sendable {
        case none
        /// A line of progress that a control sequence can clear.
        case progress
        /// A line of progress on a terminal without control sequences.
        case plainProgress
        /// Nothing after the bytes; in their middle the cursor is on a row of a picture.
        case picture
    }

    /// Creates no bytes.
    public init() {}

    /// Creates a line of clean text with its newline, in the given characters.
    public init(line: TerminalText, glyphs: GlyphSet) {
        raw = Array(line.shown(in: glyphs).string.utf8) + [UInt8(ascii: "\n")]
    }

    /// Creates the bytes of generated text with escaped input: JSON lines, help, completion scripts, the manual.
    ///
    /// Does not bypass the sanitiser: every control character but newline and tab becomes U+FFFD.
    public init(escaped text: String) {
        raw = Array(text.utf8)
        guard !Self.isHarmless(raw) else { return }
        let scalars = text.unicodeScalars.map { Self.isControl($0) ? "\u{FFFD}" : $0 }
        raw = scalars.flatMap { Array(UTF8.encode($0) ?? UTF8.encodedReplacementCharacter) }
    }

    /// Creates bytes that a program reads, such as paths or a file, and constant sequences; other text for a terminal needs
    /// `init(escaped:)`.
    package init(data: [UInt8]) { raw = data }

    /// Checks quickly for control characters; 0xC2 begins C1 controls, among others.
    private static func isHarmless(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x09 || ($0 >= 0x80 && $0 != 0xC2) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)) && scalar != "\n" && scalar != "\t"
    }

    /// Whether there is nothing to write.
    public var isEmpty: Bool { raw.isEmpty }
}

extension TerminalBytes {
    /// The maximum length of `init(copying:)`, in bytes of UTF-8.
    ///
    /// hterm and screen take sequences of at most 100,000 bytes; base64 makes four of three.
    package static let clipboardLimit = 74_994

    /// Creates the sequence that copies text to the clipboard of the user's own machine, also over ssh (OSC 52).
    ///
    /// Terminals without it show nothing. `nil` for text beyond `clipboardLimit`.
    package init?(copying text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.clipboardLimit else { return nil }
        raw.append("\u{1B}]52;c;" as StaticString)
        raw.append(base64: bytes.span)
        raw.append("\u{1B}\\" as StaticString)
    }
}
