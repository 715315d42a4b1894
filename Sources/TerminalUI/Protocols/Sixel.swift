internal import SpyglassPixels

/// Encodes images as sixel graphics (DEC STD 070, VT340): a palette by image and rows of six pixels.
///
/// Transparent pixels stay unset. The cursor's position is undefined afterwards, and a picture that touches the last row
/// of the screen scrolls it.
struct Sixel {
    /// Rows of pixels are drawn in bands of so many.
    static let bandHeight = 6

    /// The pixels that a picture covers: its height is rounded up to whole bands, which must fit its cells.
    static func covered(_ size: PixelSize) -> PixelSize {
        PixelSize(width: size.width, height: (size.height + bandHeight - 1) / bandHeight * bandHeight)
    }

    /// Draws an image at the cursor, a pixel of the terminal each.
    func drawing(of image: PixelBuffer) -> [UInt8] { [] }
}
