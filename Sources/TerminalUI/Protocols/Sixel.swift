internal import SpyglassPixels

/// Encodes images as sixel graphics (DEC STD 070, VT340): a palette for each image, in bands of six rows of pixels.
///
/// Transparent pixels stay unset. Afterwards the cursor's position is undefined. An image that touches the last row of
/// the screen scrolls it.
struct Sixel {
    /// The colour behind partly transparent pixels.
    var background = RGB.black

    /// Rows of pixels in a band.
    static let bandHeight = 6
    /// The maximum side of any image in pixels.
    static let maxSide = 9999
    /// The maximum side for xterm in pixels, which draws no larger image (its resource `maxGraphicSize`).
    static let maxSideOfXterm = 1000

    /// Returns the pixels that an image covers: whole bands, which must fit its cells.
    static func covered(_ size: PixelSize) -> PixelSize {
        PixelSize(width: size.width, height: (size.height + bandHeight - 1) / bandHeight * bandHeight)
    }

    /// Draws an image of sides up to `maxSide` at the cursor; its pixels are the terminal's.
    func drawing(of image: PixelBuffer) -> [UInt8] {
        let pixels = flattened(image)
        let hasUnset = pixels.contains { $0 >> 24 == 0 }
        var palette = SixelPalette(pixels, maxColors: hasUnset ? 255 : 256)
        let indices = palette.indices(of: pixels, width: image.size.width)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(indices.count * 2 + 8192)
        // Pixels are square. Unset pixels keep their colour.
        bytes.append("\u{1B}P0;1q\"1;1;\(image.size.width);\(image.size.height)")
        for (index, color) in palette.colors.enumerated() {
            let percent = (0..<3).map { (Int(color[$0]) * 100 + 255 * 8) / (255 * 16) }
            bytes.append("#\(index);2;\(percent[0]);\(percent[1]);\(percent[2])")
        }
        var bands = SixelBands(width: image.size.width, unset: hasUnset ? .max : nil)
        let band = Self.bandHeight * image.size.width
        for start in stride(from: 0, to: indices.count, by: band) {
            if start > 0 { bytes.append(UInt8(ascii: "-")) }
            bands.append(indices.span.extracting(start..<min(start + band, indices.count)), to: &bytes)
        }
        bytes.append("\u{1B}\\" as StaticString)
        return bytes
    }

    /// Returns pixels with red in the low byte and an alpha of 0 or 255.
    private func flattened(_ image: PixelBuffer) -> [UInt32] {
        let behind = PackedPixel(background)
        return image.bytes.withUnsafeBytes { bytes in
            (0..<image.size.pixelCount).map { at in
                let pixel = PackedPixel(
                    number: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * at, as: UInt32.self)))
                if pixel.isOpaque || pixel.isTransparent { return pixel.number }
                return PackedPixel(linear: pixel.linear(over: behind)).number
            }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }
}
