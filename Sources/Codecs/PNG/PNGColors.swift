internal import SpyglassPixels

/// The colour type of a PNG: the smallest that holds the image exactly.
enum PNGColors {
    /// Luminance, of 1, 2, 4 or 8 bits.
    case gray(depth: Int)
    case grayAlpha
    case palette(PNGPalette)
    case rgb
    case rgba

    init(_ image: PixelBuffer) {
        let isOpaque = image.hasOpaqueWords
        let plain: PNGColors =
            switch (image.isGray(), isOpaque) {
            case (true, true): .gray(depth: Self.grayDepth(of: image))
            case (true, false): .grayAlpha
            case (false, true): .rgb
            case (false, false): .rgba
            }
        self = Self.palette(of: image, insteadOf: plain) ?? plain
    }

    var bits: Int {
        switch self {
        case .gray(let depth): depth
        case .grayAlpha: 16
        case .palette(let palette): palette.depth
        case .rgb: 24
        case .rgba: 32
        }
    }

    /// The fewest bits that hold the values of a grey image; fewer than eight are repeated to fill a byte.
    private static func grayDepth(of image: PixelBuffer) -> Int {
        var isUsed = [Bool](repeating: false, count: 256)
        image.withWords(ofRows: 0..<image.size.height) { words in
            for word in words { isUsed[Int(UInt32(littleEndian: word) & 255)] = true }
        }
        let steps = [(depth: 1, step: 255), (depth: 2, step: 85), (depth: 4, step: 17)]
        let fitting = steps.first { _, step in isUsed.indices.allSatisfy { !isUsed[$0] || $0 % step == 0 } }
        return fitting?.depth ?? 8
    }

    /// A palette, if it saves more bytes before compression than it takes.
    private static func palette(of image: PixelBuffer, insteadOf plain: PNGColors) -> PNGColors? {
        guard plain.bits > 1, let palette = PNGPalette(image), palette.depth < plain.bits else { return nil }
        let bytesSaved = (plain.bits - palette.depth) * image.size.pixelCount / 8
        return bytesSaved > palette.chunkBytes ? .palette(palette) : nil
    }
}
