internal import SpyglassPixels

/// What the pixels of a PNG are: of all kinds that hold a picture exactly, the one of the fewest bits.
enum PNGColors {
    /// Luminance, of 1, 2, 4 or 8 bits.
    case gray(depth: Int)
    case grayAlpha
    case palette(PNGPalette)
    case rgb
    case rgba

    init(_ picture: PixelBuffer) {
        let isOpaque = picture.hasOpaqueWords
        let plain: PNGColors =
            switch (picture.isGray(), isOpaque) {
            case (true, true): .gray(depth: Self.grayDepth(of: picture))
            case (true, false): .grayAlpha
            case (false, true): .rgb
            case (false, false): .rgba
            }
        self = Self.palette(of: picture, insteadOf: plain) ?? plain
    }

    /// Bits of a pixel.
    var bits: Int {
        switch self {
        case .gray(let depth): depth
        case .grayAlpha: 16
        case .palette(let palette): palette.depth
        case .rgb: 24
        case .rgba: 32
        }
    }

    /// The fewest bits that tell the values of a grey picture apart.
    ///
    /// A value of fewer than eight stands for its bits said over and over.
    private static func grayDepth(of picture: PixelBuffer) -> Int {
        var isUsed = [Bool](repeating: false, count: 256)
        picture.withWords(ofRows: 0..<picture.size.height) { words in
            for word in words { isUsed[Int(UInt32(littleEndian: word) & 255)] = true }
        }
        let steps = [(depth: 1, step: 255), (depth: 2, step: 85), (depth: 4, step: 17)]
        let fitting = steps.first { _, step in isUsed.indices.allSatisfy { !isUsed[$0] || $0 % step == 0 } }
        return fitting?.depth ?? 8
    }

    /// A palette where it makes the pixels smaller by more than it takes itself, before compression.
    private static func palette(of picture: PixelBuffer, insteadOf plain: PNGColors) -> PNGColors? {
        guard plain.bits > 1, let palette = PNGPalette(picture), palette.depth < plain.bits else { return nil }
        let bytesSaved = (plain.bits - palette.depth) * picture.size.pixelCount / 8
        return bytesSaved > palette.chunkBytes ? .palette(palette) : nil
    }
}
