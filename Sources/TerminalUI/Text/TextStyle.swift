/// How text looks: attributes and, if wanted, a colour of the terminal's own palette.
///
/// Text keeps the terminal's own foreground and background unless a palette colour is named, so that it is readable in
/// every theme; it never gets an RGB colour.
public struct TextStyle: Hashable, Sendable {
    /// What can be combined.
    public struct Attributes: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8
        /// SGR 1.
        public static let bold = Attributes(rawValue: 1)
        /// SGR 2.
        public static let dim = Attributes(rawValue: 2)
        /// SGR 4.
        public static let underline = Attributes(rawValue: 4)
        /// SGR 7: foreground and background change places.
        public static let reverse = Attributes(rawValue: 8)

        /// Attributes from their bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }
    }

    /// A colour of the terminal's palette; what it looks like is the user's choice.
    public enum PaletteColor: UInt8, Hashable, Sendable {
        /// SGR 30–37.
        case black, red, green, yellow, blue, magenta, cyan, white
        /// SGR 90–97.
        case brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan, brightWhite
    }

    /// Bold, dim, underlined or several of them.
    public var attributes: Attributes
    /// The foreground; `nil` is the terminal's own.
    public var color: PaletteColor?

    /// Nothing special.
    public static let plain = TextStyle([])
    /// Bold.
    public static let bold = TextStyle(.bold)
    /// Dim.
    public static let dim = TextStyle(.dim)
    /// Underlined.
    public static let underline = TextStyle(.underline)

    /// A style.
    public init(_ attributes: Attributes, color: PaletteColor? = nil) {
        self.attributes = attributes
        self.color = color
    }

    /// Appends the sequence that switches from the terminal's own look to this one; nothing for `plain`.
    func append(to bytes: inout [UInt8]) {
        guard self != .plain else { return }
        bytes.append(SGR.introducer)
        if attributes.contains(.bold) { bytes.append(contentsOf: "1;".utf8) }
        if attributes.contains(.dim) { bytes.append(contentsOf: "2;".utf8) }
        if attributes.contains(.underline) { bytes.append(contentsOf: "4;".utf8) }
        if attributes.contains(.reverse) { bytes.append(contentsOf: "7;".utf8) }
        if let color {
            let code = color.rawValue < 8 ? 30 + color.rawValue : 90 - 8 + color.rawValue
            bytes.append(contentsOf: "\(code);".utf8)
        }
        bytes[bytes.count - 1] = UInt8(ascii: "m")
    }
}

/// A piece of text in one style.
public struct StyledText: Hashable, Sendable {
    /// The text.
    public var text: TerminalText
    /// Its look.
    public var style: TextStyle

    /// A piece; plain unless said otherwise.
    public init(_ text: TerminalText, _ style: TextStyle = .plain) {
        self.text = text
        self.style = style
    }
}
