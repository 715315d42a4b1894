public import SpyglassPixels

/// An image file's header.
public struct ImageInfo: Hashable, Sendable {
    /// The format, by the first bytes.
    public let format: ImageFormat
    /// The size of the stored pixels.
    public let storedSize: PixelSize
    /// How to turn them, by EXIF; `up` without a valid entry.
    public let orientation: Orientation
    /// Whether the file starts with a coarse image: a progressive JPEG, an Adam7 PNG.
    public let isProgressive: Bool
    /// Whether pixels may be transparent.
    public let hasAlpha: Bool
    /// How colours are stored, as text: `YCbCr, 8 bits`, `palette, 4 bits`.
    public let colorDescription: String

    /// The size of the upright image.
    public var size: PixelSize { orientation.displayed(storedSize) }

    /// Makes a header; nothing is validated.
    package init(
        format: ImageFormat, storedSize: PixelSize, orientation: Orientation = .up, isProgressive: Bool = false,
        hasAlpha: Bool = false, colorDescription: String
    ) {
        self.format = format
        self.storedSize = storedSize
        self.orientation = orientation
        self.isProgressive = isProgressive
        self.hasAlpha = hasAlpha
        self.colorDescription = colorDescription
    }
}
