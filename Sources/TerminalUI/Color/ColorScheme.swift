/// How one colour depth converts pixels to colour codes, and codes to SGR parameters.
protocol ColorScheme {
    static func code(of pixel: PackedPixel, _ nearest: inout NearestColor) -> ColorCode
    /// Writes the parameters that choose a colour, each followed by a semicolon.
    static func write(
        _ code: ColorCode, _ layer: ColorLayer, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>)
    static func color(_ code: ColorCode) -> CellColor
}

/// A colour as its scheme encodes it; equal codes look alike.
struct ColorCode: Equatable {
    /// Below 2^24 for the colours of a scheme.
    let number: UInt32
    /// The terminal's own background, which shows through transparent pixels.
    static let terminalDefault = ColorCode(number: 0x0100_0000)
    /// The colour at the start of a row.
    static let unknown = ColorCode(number: 0x0200_0000)
}

/// The use of a colour; the SGR parameters of a background are those of a foreground with 4 for 3, or plus ten.
enum ColorLayer: UInt32 {
    case foreground
    case background

    /// The increment of the first digit, if packed in the low byte.
    @inline(__always) var digit: UInt64 { UInt64(rawValue) }
}

/// 24 bits: the code is the pixel without its alpha.
enum TruecolorScheme: ColorScheme {
    @inline(__always)
    static func code(of pixel: PackedPixel, _ nearest: inout NearestColor) -> ColorCode {
        ColorCode(number: pixel.number & 0xFF_FFFF)
    }

    @inline(__always)
    static func write(
        _ code: ColorCode, _ layer: ColorLayer, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>
    ) {
        // Every terminal understands the semicolon form (termstandard/colors).
        cursor.write(0x3B_323B_3833 + layer.digit, count: 5)  // 38;2; or 48;2;
        cursor.write(decimal: code.number & 0xFF, from: decimal)
        cursor.write(decimal: code.number >> 8 & 0xFF, from: decimal)
        cursor.write(decimal: code.number >> 16 & 0xFF, from: decimal)
    }

    @inline(__always)
    static func color(_ code: ColorCode) -> CellColor {
        // Red is the low byte of a code and the high byte of a cell colour.
        CellColor(number: code.number.byteSwapped >> 8)
    }
}

protocol PaletteScheme: ColorScheme {}

extension PaletteScheme {
    @inline(__always)
    static func code(of pixel: PackedPixel, _ nearest: inout NearestColor) -> ColorCode { nearest.code(of: pixel) }

    @inline(__always)
    static func color(_ code: ColorCode) -> CellColor { .palette(UInt8(truncatingIfNeeded: code.number)) }
}

/// 256 colours: indexes from 16 to 255, since users redefine the first sixteen.
enum Palette256Scheme: PaletteScheme {
    @inline(__always)
    static func write(
        _ code: ColorCode, _ layer: ColorLayer, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>
    ) {
        cursor.write(0x3B_353B_3833 + layer.digit, count: 5)  // 38;5; or 48;5;
        cursor.write(decimal: code.number, from: decimal)
    }
}

/// 16 colours: indexes from 0 to 15; SGR 30–37 and 90–97 choose a foreground, ten more a background.
enum Palette16Scheme: PaletteScheme {
    @inline(__always)
    static func write(
        _ code: ColorCode, _ layer: ColorLayer, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>
    ) {
        let parameter = code.number &+ (code.number < 8 ? 30 : 90 - 8)
        cursor.write(decimal: parameter &+ layer.rawValue &* 10, from: decimal)
    }
}
