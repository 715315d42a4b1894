/// How one colour depth names its colours: from pixel to ink, and from ink to SGR parameters.
protocol ColorScheme {
    /// The ink of an opaque pixel.
    static func ink(_ pixel: PackedPixel, _ nearest: inout NearestColor) -> ColorCode
    /// Writes the parameters that choose a foreground, each followed by a semicolon.
    static func writeForeground(_ ink: ColorCode, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>)
    /// Writes the parameters that choose a background, each followed by a semicolon.
    static func writeBackground(_ ink: ColorCode, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>)
    /// The colour of a cell for an ink of the scheme.
    static func color(_ ink: ColorCode) -> CellColor
}

/// A colour as a scheme names it: equal for colours that the terminal shows alike.
struct ColorCode: Equatable {
    /// Below 2^24 for the colours of a scheme.
    let number: UInt32

    /// The terminal's own background: what a transparent pixel is drawn with.
    static let terminalDefault = ColorCode(number: 0x0100_0000)
    /// Nobody knows what is set: at the start of a row.
    static let unknown = ColorCode(number: 0x0200_0000)
}

/// The five bytes before the numbers of a colour, packed with the first one lowest.
///
/// The semicolon form is the one that every terminal understands (termstandard/colors).
private enum Prefix {
    static let foreground24: UInt64 = 0x3B_323B_3833  // 38;2;
    static let background24: UInt64 = 0x3B_323B_3834  // 48;2;
    static let foreground8: UInt64 = 0x3B_353B_3833  // 38;5;
    static let background8: UInt64 = 0x3B_353B_3834  // 48;5;
    static let count = 5
}

/// 24 bits: the ink is the pixel without its alpha.
enum TruecolorScheme: ColorScheme {
    @inline(__always)
    static func ink(_ pixel: PackedPixel, _ nearest: inout NearestColor) -> ColorCode {
        ColorCode(number: pixel.number & 0xFF_FFFF)
    }

    @inline(__always)
    static func writeForeground(_ ink: ColorCode, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>) {
        cursor.write(Prefix.foreground24, count: Prefix.count)
        writeChannels(ink, to: &cursor, decimal)
    }

    @inline(__always)
    static func writeBackground(_ ink: ColorCode, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>) {
        cursor.write(Prefix.background24, count: Prefix.count)
        writeChannels(ink, to: &cursor, decimal)
    }

    @inline(__always)
    static func color(_ ink: ColorCode) -> CellColor {
        // Red is low in an ink and high in a cell.
        CellColor(number: ink.number.byteSwapped >> 8)
    }

    @inline(__always)
    private static func writeChannels(_ ink: ColorCode, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>) {
        cursor.write(decimal: ink.number & 0xFF, from: decimal)
        cursor.write(decimal: ink.number >> 8 & 0xFF, from: decimal)
        cursor.write(decimal: ink.number >> 16 & 0xFF, from: decimal)
    }
}

/// 256 colours: the ink is an index from 16 to 255, since the first sixteen are the user's and could be anything.
enum Palette256Scheme: ColorScheme {
    @inline(__always)
    static func ink(_ pixel: PackedPixel, _ nearest: inout NearestColor) -> ColorCode { nearest.ink(of: pixel) }

    @inline(__always)
    static func writeForeground(_ ink: ColorCode, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>) {
        cursor.write(Prefix.foreground8, count: Prefix.count)
        cursor.write(decimal: ink.number, from: decimal)
    }

    @inline(__always)
    static func writeBackground(_ ink: ColorCode, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>) {
        cursor.write(Prefix.background8, count: Prefix.count)
        cursor.write(decimal: ink.number, from: decimal)
    }

    @inline(__always)
    static func color(_ ink: ColorCode) -> CellColor { .palette(UInt8(truncatingIfNeeded: ink.number)) }
}

/// 16 colours: the ink is an index from 0 to 15; 30–37 and 90–97 choose a foreground, ten more a background.
enum Palette16Scheme: ColorScheme {
    private static let normal: UInt32 = 30
    private static let bright: UInt32 = 90 - 8
    private static let background: UInt32 = 10

    @inline(__always)
    private static func code(_ ink: ColorCode) -> UInt32 { ink.number &+ (ink.number < 8 ? normal : bright) }

    @inline(__always)
    static func ink(_ pixel: PackedPixel, _ nearest: inout NearestColor) -> ColorCode { nearest.ink(of: pixel) }

    @inline(__always)
    static func writeForeground(_ ink: ColorCode, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>) {
        cursor.write(decimal: code(ink), from: decimal)
    }

    @inline(__always)
    static func writeBackground(_ ink: ColorCode, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>) {
        cursor.write(decimal: code(ink) &+ background, from: decimal)
    }

    @inline(__always)
    static func color(_ ink: ColorCode) -> CellColor { .palette(UInt8(truncatingIfNeeded: ink.number)) }
}
