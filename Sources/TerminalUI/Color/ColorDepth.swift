/// How many colours a terminal understands.
public enum ColorDepth: String, Hashable, Sendable, CaseIterable {
    /// No colour and no SGR: text is plain, images are a luminance ramp.
    case monochrome = "none"
    /// The sixteen colours of the terminal's own palette (SGR 30–37, 40–47, 90–97, 100–107).
    case palette16 = "16"
    /// The 6x6x6 cube and the grey ramp of xterm's palette (SGR `38;5;N`, N from 16 to 255).
    case palette256 = "256"
    /// 24 bits (SGR `38;2;R;G;B`).
    case truecolor
}

/// Which characters may be printed.
public enum GlyphSet: String, Hashable, Sendable {
    /// Printable ASCII only: the locale is not UTF-8, or the terminal is dumb.
    case ascii
    /// All of Unicode, in UTF-8.
    case utf8
}

/// An opaque sRGB colour, eight bits a channel.
public struct RGB: Hashable, Sendable {
    /// Red, sRGB-encoded.
    public var red: UInt8
    /// Green, sRGB-encoded.
    public var green: UInt8
    /// Blue, sRGB-encoded.
    public var blue: UInt8
    /// Black, the assumed background if the terminal's is unknown.
    public static let black = RGB(0, 0, 0)

    /// Creates a colour from its channels.
    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Parses `#rrggbb`, six hexadecimal digits of either case; `nil` for anything else.
    public init?(parsing text: String) {
        guard text.utf8.count == 7, text.utf8.first == UInt8(ascii: "#"),
            text.utf8.dropFirst().allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        self.init(UInt8(value >> 16), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF))
    }
}
