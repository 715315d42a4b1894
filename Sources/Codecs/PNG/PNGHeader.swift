internal import SpyglassCPNG
internal import SpyglassPixels

/// What the header chunks of a PNG mean (PNG specification, section 11).
enum PNGHeader {
    /// Bits of a colour type.
    static let paletteBit: CInt = 1
    static let colorBit: CInt = 2
    static let alphaBit: CInt = 4

    /// Width and height as IHDR states them; `nil` if they are not possible or not there, which is for the library to say.
    static func size(_ bytes: Span<UInt8>) throws(CodecError) -> PixelSize? {
        guard bytes.count >= 24, signature.indices.allSatisfy({ bytes[$0] == signature[$0] }) else { return nil }
        func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) } }
        switch number(12) {
        case ihdr: break
        case cgbi: throw .unsupported(.png, "the CgBI variant of iOS programs")
        default: throw .corrupt(.png, "its first chunk is not IHDR")
        }
        let (width, height) = (number(16), number(20))
        return max(width, height) <= greatestSide ? PixelSize(checking: width, height) : nil
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// PNG's integers have 31 bits.
    private static let greatestSide = 0x7FFF_FFFF
    private static let ihdr = 0x4948_4452
    /// A chunk that stands before IHDR in what Xcode makes of PNG files.
    private static let cgbi = 0x4367_4249

    /// How colours are stored, for people.
    static func describe(_ header: sg_png_header) -> String {
        let type = header.color_type
        let space =
            if type & paletteBit != 0 { "palette" } else { type & colorBit != 0 ? "RGB" : "grey" }
        let alpha = type & alphaBit != 0 ? " and alpha" : ""
        return "\(space)\(alpha), \(header.bit_depth) bit\(header.bit_depth == 1 ? "" : "s")"
    }

    /// The curve that a gAMA chunk states, where it matters; sRGB without one.
    static func transfer(gamma: Double) -> TransferCurve {
        guard gamma > 0 else { return .sRGB }
        let exponent = 1 / gamma
        // Nobody's display was ever outside of this: a broken chunk.
        guard (0.1...10).contains(exponent) else { return .sRGB }
        return abs(gamma * displayExponent - 1) > significance ? .gamma(exponent) : .sRGB
    }

    /// What sRGB is close to; a gAMA of 1/2.2 is written by those who mean sRGB.
    private static let displayExponent = 2.2
    /// `PNG_GAMMA_THRESHOLD`: libpng, too, lets smaller differences be.
    private static let significance = 0.05
}
