/// A colour as the terminal is told it: equal values look alike on the screen.
public struct CellColor: Hashable, Sendable {
    /// Below 2^24 red, green and blue from the high byte; `paletteBase` and above an index; else `terminalDefault`.
    let number: UInt32

    private static let paletteBase: UInt32 = 0x0100_0000

    /// The terminal's own foreground or background.
    public static let terminalDefault = CellColor(number: 0x0200_0000)

    /// One of the terminal's 256 colours; the first sixteen are the user's choice.
    public static func palette(_ index: UInt8) -> CellColor { CellColor(number: paletteBase | UInt32(index)) }

    /// 24 bits.
    public static func rgb(_ color: RGB) -> CellColor {
        CellColor(number: UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue))
    }

    /// The index of a palette colour.
    public var paletteIndex: UInt8? { number & 0xFF00_0000 == Self.paletteBase ? UInt8(number & 0xFF) : nil }

    /// The channels of a 24-bit colour.
    public var channels: RGB? {
        guard isRGB else { return nil }
        return RGB(UInt8(number >> 16), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
    }

    var isRGB: Bool { number < Self.paletteBase }

    /// The colour halfway to another one; both must be of 24 bits, else it is the first.
    func mean(with other: CellColor) -> CellColor {
        guard isRGB, other.isRGB else { return self }
        // Half of what differs and all that is common, in each byte by itself.
        return CellColor(number: (number & other.number) &+ ((number ^ other.number) & 0xFEFEFE) >> 1)
    }
}

/// How a cell looks.
public struct CellStyle: Hashable, Sendable {
    /// The colour of the character.
    public var foreground: CellColor
    /// What stands behind it.
    public var background: CellColor
    /// The attributes, in four bytes so that a cell has no padding.
    private var attributeBits: UInt32

    /// Bold, dim, underlined, reversed.
    public var attributes: TextStyle.Attributes {
        get { TextStyle.Attributes(rawValue: UInt8(truncatingIfNeeded: attributeBits)) }
        set { attributeBits = UInt32(newValue.rawValue) }
    }

    /// The terminal's own look.
    public static let plain = CellStyle()

    /// A style.
    public init(
        foreground: CellColor = .terminalDefault, background: CellColor = .terminalDefault,
        _ attributes: TextStyle.Attributes = []
    ) {
        self.foreground = foreground
        self.background = background
        attributeBits = UInt32(attributes.rawValue)
    }
}
