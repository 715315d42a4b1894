public import SpyglassPixels

/// What a file's header says of its picture.
public struct ImageInfo: Hashable, Sendable {
    /// The format, by the first bytes.
    public let format: ImageFormat
    /// Width and height of the pixels as they are stored.
    public let storedSize: PixelSize
    /// How they must be turned, by EXIF; `up` without a valid word of it.
    public let orientation: Orientation
    /// Whether the file brings a coarse picture first: a progressive JPEG, an Adam7 PNG.
    public let isProgressive: Bool
    /// Whether pixels may be transparent.
    public let hasAlpha: Bool
    /// How colours are stored, for people: `YCbCr, 8 bits`, `palette, 4 bits`.
    public let colorDescription: String

    /// Width and height as the picture is displayed.
    public var size: PixelSize { orientation.displayed(storedSize) }

    /// A header with these words; nothing is checked.
    public init(
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
