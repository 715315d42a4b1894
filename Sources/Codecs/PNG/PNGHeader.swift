internal import SpyglassCPNG
internal import SpyglassPixels

/// The header chunks of a PNG (PNG specification, section 11).
enum PNGHeader {
    static let paletteBit: CInt = 1
    static let colorBit: CInt = 2
    static let alphaBit: CInt = 4

    /// Returns the size; `nil` if it is missing or impossible, which the library reports.
    static func size(_ head: [UInt8]) throws(CodecError) -> PixelSize? {
        var chunks = PNGChunks(BinaryReader(head))
        guard head.starts(with: PNGChunks.signature), let header = chunks.next() else { return nil }
        switch header.name {
        case "IHDR": break
        case "CgBI": throw .unsupported(.png, "the CgBI variant of iOS programs")
        default: throw .corrupt(.png, "its first chunk is not IHDR")
        }
        guard let width = try? header.content?.integer(4, at: 0), let height = try? header.content?.integer(4, at: 4)
        else { return nil }
        return max(width, height) <= maxSide ? PixelSize(checking: width, height) : nil
    }

    /// PNG's integers have 31 bits.
    private static let maxSide = 0x7FFF_FFFF

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

/// The chunks of a PNG (PNG specification, section 5.3), in its untrusted first bytes.
struct PNGChunks: Sequence, IteratorProtocol {
    private var reader: BinaryReader

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    init(_ head: BinaryReader) {
        reader = head
        try? reader.skip(CheckedSize(Self.signature.count))
    }

    /// Returns the next chunk; its content is `nil` if it is not whole, which ends them.
    mutating func next() -> (name: FourCC, content: BinaryReader?)? {
        guard let count = try? reader.size(4), let name = try? reader.name() else { return nil }
        let content = try? reader.part(count)
        if content == nil || (try? reader.skip(4)) == nil { reader = BinaryReader([]) }
        return (name, content)
    }
}
