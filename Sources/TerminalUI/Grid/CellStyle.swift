/// A colour as it is sent to the terminal; equal values look alike.
public struct CellColor: Hashable, Sendable {
    /// Below 2^24 red, green and blue from the high byte; `paletteBase` plus an index; else `terminalDefault`.
    let number: UInt32
    private static let paletteBase: UInt32 = 0x0100_0000
    /// The terminal's own foreground or background (SGR 39, 49).
    public static let terminalDefault = CellColor(number: 0x0200_0000)

    /// One of the terminal's 256 colours; users configure the first sixteen.
    public static func palette(_ index: UInt8) -> CellColor { CellColor(number: paletteBase | UInt32(index)) }

    /// A 24-bit colour.
    public static func rgb(_ color: RGB) -> CellColor {
        CellColor(number: UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue))
    }

    /// The channels of a 24-bit colour.
    package var channels: RGB? {
        guard isRGB else { return nil }
        return RGB(UInt8(number >> 16), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
    }

    /// The index of a palette colour.
    package var paletteIndex: UInt8? { number & 0xFF00_0000 == Self.paletteBase ? UInt8(number & 0xFF) : nil }
    var isRGB: Bool { number < Self.paletteBase }
    /// The code in the colour's own scheme: channels with red lowest, or an index.
    var code: ColorCode { ColorCode(number: isRGB ? number.byteSwapped >> 8 : number & 0xFF) }

    /// The colour halfway to another one; returns `self` unless both have 24 bits.
    func mean(with other: CellColor) -> CellColor {
        guard isRGB, other.isRGB else { return self }
        // Common bits plus half of the differing ones, in each byte.
        return CellColor(number: (number & other.number) &+ ((number ^ other.number) & 0xFEFEFE) >> 1)
    }
}

/// How a cell looks.
public struct CellStyle: Hashable, Sendable {
    /// The colour of the character.
    public var foreground: CellColor
    /// The colour behind it.
    public var background: CellColor
    /// The attributes, in four bytes so that a cell has no padding.
    private var attributeBits: UInt32

    /// Bold, dim, underlined, reversed.
    public var attributes: TextStyle.Attributes {
        get { TextStyle.Attributes(rawValue: UInt8(truncatingIfNeeded: attributeBits)) }
        set { attributeBits = UInt32(newValue.rawValue) }
    }

    /// Default colours without attributes.
    public static let plain = CellStyle()

    /// Creates a style.
    public init(
        foreground: CellColor = .terminalDefault, background: CellColor = .terminalDefault,
        _ attributes: TextStyle.Attributes = []
    ) {
        self.foreground = foreground
        self.background = background
        attributeBits = UInt32(attributes.rawValue)
    }
}
