internal import SpyglassCPNG
internal import SpyglassPixels

/// The header chunks of a PNG (PNG specification, section 11).
enum PNGHeader {
    static let paletteBit: CInt = 1
    static let colorBit: CInt = 2
    static let alphaBit: CInt = 4

    /// `nil` if missing or impossible, which the library reports.
    static func size(_ bytes: Span<UInt8>) throws(CodecError) -> PixelSize? {
        guard bytes.count >= 24, signature.indices.allSatisfy({ bytes[$0] == signature[$0] }) else { return nil }
        func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) } }
        switch number(12) {
        case ihdr: break
        case cgbi: throw .unsupported(.png, "the CgBI variant of iOS programs")
        default: throw .corrupt(.png, "its first chunk is not IHDR")
        }
        let (width, height) = (number(16), number(20))
        return max(width, height) <= maxSide ? PixelSize(checking: width, height) : nil
    }

    /// The interlace method, IHDR's last byte.
    static let interlacePlace = 28
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// PNG's integers have 31 bits.
    private static let maxSide = 0x7FFF_FFFF
    private static let ihdr = 0x4948_4452
    /// A chunk before IHDR in PNG files made by Xcode.
    private static let cgbi = 0x4367_4249

    static func describe(_ header: sg_png_header) -> String {
        let type = header.color_type
        let space = if type & paletteBit != 0 { "palette" } else { type & colorBit != 0 ? "RGB" : "grey" }
        let alpha = type & alphaBit != 0 ? " and alpha" : ""
        return "\(space)\(alpha), \(header.bit_depth) bit\(header.bit_depth == 1 ? "" : "s")"
    }

    /// The curve of a gAMA chunk, if it differs noticeably from sRGB.
    static func transfer(gamma: Double) -> TransferCurve {
        guard gamma > 0 else { return .sRGB }
        let exponent = 1 / gamma
        // A corrupt chunk: no display is outside this range.
        guard (0.1...10).contains(exponent) else { return .sRGB }
        return abs(gamma * displayExponent - 1) > significance ? .gamma(exponent) : .sRGB
    }

    /// The gamma near sRGB's; writers that mean sRGB state 1/2.2.
    private static let displayExponent = 2.2
    /// `PNG_GAMMA_THRESHOLD`: libpng ignores smaller differences, too.
    private static let significance = 0.05
}
