public import SpyglassPixels

/// The encoders that pixel protocols need; the caller provides them, since this module imports no codec.
public struct PixelCodecs: Sendable {
    /// Encodes an image as PNG.
    public var png: @Sendable (PixelBuffer) throws -> [UInt8]
    /// Encodes an image as JPEG at a quality from 1 to 100; transparent pixels become black.
    public var jpeg: @Sendable (PixelBuffer, Int) throws -> [UInt8]

    /// Creates the set of encoders.
    public init(
        png: @escaping @Sendable (PixelBuffer) throws -> [UInt8],
        jpeg: @escaping @Sendable (PixelBuffer, Int) throws -> [UInt8]
    ) {
        self.png = png
        self.jpeg = jpeg
    }
}
