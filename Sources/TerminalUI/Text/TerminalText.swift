/// Text that is safe to print: whatever it was made from, it holds no control character and its width is known.
///
///     let title = TerminalText(cleaning: photo.title)
///     let lines = TerminalText(cleaning: photo.description).wrapped(to: 60, maxLines: 4)
///
/// Only the sanitiser makes one, so raw text cannot reach the terminal: text in `TerminalBytes` comes from here. Literals are cleaned like everything else. `TextSanitizer` says what is cleaned, and how.
public struct TerminalText: Hashable, Sendable {
    /// The clean text: one line, no control characters, no invisible ones but joiners inside a grapheme.
    public let string: String
    /// Columns that the text takes.
    public let width: Int

    /// How many scalars of a text are looked at unless the caller says otherwise: 80 lines of 100 columns.
    public static let defaultLimit = 8192

    /// Cleans a text.
    ///
    /// - Parameters:
    ///   - text: anything.
    ///   - limit: how many Unicode scalars are read at most; what is cut off leaves an ellipsis. The cost is linear in
    ///     this, whatever the length of the text.
    public init(cleaning text: String, limit: Int = Self.defaultLimit) {
        self = TextSanitizer.clean(text, limit: limit)
    }

    /// Cleans bytes that may or may not be UTF-8; what is not becomes U+FFFD.
    public init(cleaning bytes: [UInt8], limit: Int = Self.defaultLimit) {
        // No scalar has more than four bytes, and one more shows that something was cut off.
        let (enough, overflow) = limit.addingReportingOverflow(1)
        let (count, tooMany) = enough.multipliedReportingOverflow(by: 4)
        let prefix = bytes.prefix(overflow || tooMany ? .max : max(count, 0))
        self = TextSanitizer.clean(String(decoding: prefix, as: UTF8.self), limit: limit)
    }

    /// For what the sanitiser has made, and for pieces of it that begin and end at graphemes.
    init(clean string: String, width: Int) {
        self.string = string
        self.width = width
    }

    /// Whether there is nothing to print.
    public var isEmpty: Bool { string.isEmpty }

    /// Whether every character is ASCII, so that columns, bytes and characters are the same number.
    var isASCII: Bool { string.utf8.allSatisfy { $0 < 0x80 } }

    /// One text after the other.
    public static func + (first: TerminalText, second: TerminalText) -> TerminalText {
        // At the seam graphemes may merge (a flag's halves), so the width is measured anew.
        let string = first.string + second.string
        if first.isASCII, second.isASCII {
            return TerminalText(clean: string, width: first.width + second.width)
        }
        return TerminalText(clean: string, width: CharacterWidth.of(string))
    }
}

extension TerminalText: ExpressibleByStringInterpolation {
    /// A literal, cleaned.
    public init(stringLiteral text: String) {
        self.init(cleaning: text)
    }
}

extension TerminalText: CustomStringConvertible {
    /// The clean text.
    public var description: String { string }
}
