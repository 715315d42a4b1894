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

/// The sixteen colours that users may redefine; the other 240 are the same everywhere.
package struct TerminalPalette: Hashable, Sendable {
    /// Colours 0 to 15, in the order of SGR 30–37 and 90–97.
    package let sixteen: [RGB]
    /// The colours of an unconfigured xterm (XTerm-col.ad): the default for terminals that report none.
    package static let xterm = TerminalPalette(unchecked: [
        RGB(0, 0, 0), RGB(205, 0, 0), RGB(0, 205, 0), RGB(205, 205, 0),
        RGB(0, 0, 238), RGB(205, 0, 205), RGB(0, 205, 205), RGB(229, 229, 229),
        RGB(127, 127, 127), RGB(255, 0, 0), RGB(0, 255, 0), RGB(255, 255, 0),
        RGB(92, 92, 255), RGB(255, 0, 255), RGB(0, 255, 255), RGB(255, 255, 255),
    ])

    /// Creates a palette of reported colours by index; `nil` unless all sixteen are present.
    package init?(reported colors: [Int: RGB]) {
        let sixteen = (0..<16).compactMap { colors[$0] }
        guard sixteen.count == 16 else { return nil }
        self.init(unchecked: sixteen)
    }

    private init(unchecked sixteen: [RGB]) { self.sixteen = sixteen }

    /// Colours 16 to 255: a cube of six levels, then 24 greys (xterm's 256colres.h).
    static var cubeAndGreys: [RGB] {
        let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
        let cube = levels.flatMap { red in
            levels.flatMap { green in levels.map { blue in RGB(red, green, blue) } }
        }
        let greys = stride(from: UInt8(8), through: 238, by: 10).map { RGB($0, $0, $0) }
        return cube + greys
    }
}
