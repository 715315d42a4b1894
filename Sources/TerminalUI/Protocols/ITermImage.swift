internal import SpyglassPixels

/// Encodes images for iTerm2's inline images (OSC 1337, iterm2.com/documentation-images.html): a file in base64.
///
/// Photographs are sent as JPEG, flat graphics and transparency as PNG. The cursor's position is undefined afterwards.
struct ITermImage {
    var codecs: PixelCodecs
    /// Whether sequences are wrapped for tmux, which passes them through.
    var isInsideTmux = false

    /// libjpeg's quality, without visible loss.
    static let quality = 92
    /// The maximum bytes of a file in one sequence: iTerm2 and tmux refuse sequences above 1 MiB.
    static let maxWhole = 750_000
    /// The bytes of a part: a multiple of three, so that base64 has no padding.
    static let partBytes = 196_608

    /// Draws an image at the cursor, scaled into a box without distortion.
    func drawing(of image: PixelBuffer, in cells: CellSize) throws -> [UInt8] {
        let file = try self.file(of: image)
        let keys = "inline=1;size=\(file.count);width=\(cells.columns);height=\(cells.rows)"
        var bytes: [UInt8] = []
        bytes.reserveCapacity(file.count / 3 * 4 + 256)
        guard file.count > Self.maxWhole else {
            bytes.append(.iTerm, "File=\(keys):", base64: file.span, isInsideTmux: isInsideTmux)
            return bytes
        }
        bytes.append(.iTerm, "MultipartFile=\(keys)", isInsideTmux: isInsideTmux)
        for start in stride(from: 0, to: file.count, by: Self.partBytes) {
            let part = file.span.extracting(start..<min(start + Self.partBytes, file.count))
            bytes.append(.iTerm, "FilePart=", base64: part, isInsideTmux: isInsideTmux)
        }
        bytes.append(.iTerm, "FileEnd", isInsideTmux: isInsideTmux)
        return bytes
    }

    /// Returns a PNG if some pixels are transparent, a JPEG if few pixels repeat, else the smaller of both.
    private func file(of image: PixelBuffer) throws -> [UInt8] {
        guard image.isOpaque else { return try codecs.png(image) }
        let jpeg = try codecs.jpeg(image, Self.quality)
        guard Self.isFlat(image) else { return jpeg }
        let png = try codecs.png(image)
        return png.count <= jpeg.count ? png : jpeg
    }

    /// Returns whether half of the pixels equal the previous one.
    private static func isFlat(_ image: PixelBuffer) -> Bool {
        let count = image.size.pixelCount
        return (1..<count).count { image.pixel(at: $0).number == image.pixel(at: $0 - 1).number } * 2 >= count
    }
}
