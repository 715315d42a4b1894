/// Attributes of text in a stream; the text keeps the terminal's colours, so that it is readable in every theme.
public struct TextStyle: Hashable, Sendable {
    /// Attributes, which can be combined.
    public struct Attributes: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8
        /// SGR 1.
        public static let bold = Attributes(rawValue: 1)
        /// SGR 2.
        public static let dim = Attributes(rawValue: 2)
        /// SGR 4.
        public static let underline = Attributes(rawValue: 4)
        /// SGR 7: swaps foreground and background.
        public static let reverse = Attributes(rawValue: 8)

        /// Creates attributes from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    /// Bold, dim, underlined, reversed, or a combination.
    public var attributes: Attributes
    /// No attributes.
    public static let plain = TextStyle([])
    /// Bold.
    public static let bold = TextStyle(.bold)
    /// Dim.
    public static let dim = TextStyle(.dim)
    /// Underlined.
    public static let underline = TextStyle(.underline)

    /// Creates a style.
    public init(_ attributes: Attributes) { self.attributes = attributes }

    /// Appends the sequence that switches from the terminal's defaults to this style; nothing for `plain`.
    func append(to bytes: inout [UInt8]) {
        guard self != .plain else { return }
        bytes.append(SGR.introducer)
        bytes.append(attributes)
        bytes.endSGR()
    }
}

/// A piece of text in one style.
public struct StyledText: Hashable, Sendable {
    /// The text.
    public var text: TerminalText
    /// Its style.
    public var style: TextStyle

    /// Creates a piece of text.
    public init(_ text: TerminalText, _ style: TextStyle = .plain) {
        self.text = text
        self.style = style
    }
}
