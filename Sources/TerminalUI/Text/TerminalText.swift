/// Text that is safe to print: one line without control characters, of known width.
///
///     let title = TerminalText(cleaning: photo.title)
///     let lines = TerminalText(cleaning: photo.description).wrapped(to: 60, maxLines: 4)
///
/// Only the sanitiser creates it, so raw text cannot reach the terminal. Literals are cleaned, too.
public struct TerminalText: Hashable, Sendable {
    /// The clean text: one line, no control characters, no invisible ones but joiners inside a grapheme.
    public let string: String
    /// The width in columns.
    public let width: Int
    /// The default limit in scalars: 80 lines of 100 columns.
    public static let defaultLimit = 8192

    /// Cleans a text.
    ///
    /// The cost is linear in `limit`.
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - limit: the maximum number of Unicode scalars to read; an ellipsis replaces the rest.
    public init(cleaning text: String, limit: Int = Self.defaultLimit) {
        self = TextSanitizer.clean(text, limit: limit)
    }

    /// Cleans bytes; invalid UTF-8 becomes U+FFFD.
    public init(cleaning bytes: [UInt8], limit: Int = Self.defaultLimit) {
        // A scalar has at most four bytes. One more scalar shows that the text was truncated.
        let (enough, overflow) = limit.addingReportingOverflow(1)
        let (count, tooMany) = enough.multipliedReportingOverflow(by: 4)
        let prefix = bytes.prefix(overflow || tooMany ? .max : max(count, 0))
        self = TextSanitizer.clean(String(decoding: prefix, as: UTF8.self), limit: limit)
    }

    /// For sanitised text, and for parts of it that begin and end at graphemes.
    init(clean string: String, width: Int) {
        self.string = string
        self.width = width
    }

    /// Whether there is nothing to print.
    public var isEmpty: Bool { string.isEmpty }
    /// Whether columns, bytes and characters are the same number.
    var isASCII: Bool { string.utf8.allSatisfy { $0 < 0x80 } }

    /// Concatenates two texts.
    public static func + (first: TerminalText, second: TerminalText) -> TerminalText {
        // Graphemes may merge (halves of a flag), so the width is measured again.
        let string = first.string + second.string
        return TerminalText(clean: string, width: CharacterWidth.of(string))
    }
}

extension TerminalText: ExpressibleByStringInterpolation {
    /// A literal, cleaned.
    public init(stringLiteral text: String) { self.init(cleaning: text) }
}

extension TerminalText: CustomStringConvertible {
    /// The clean text.
    public var description: String { string }
}
