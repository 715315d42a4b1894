public import SpyglassPixels

/// An image or lines of text, in a row of a stream.
public struct StreamTile: Sendable {
    enum Content: Sendable {
        case image(PixelBuffer)
        case lines([[StyledText]])
    }

    let content: Content
    /// The column of the left edge, from 0.
    let column: Int

    /// Creates a tile of an image.
    public init(_ image: PixelBuffer, column: Int = 0) {
        content = .image(image)
        self.column = column
    }

    /// Creates a tile of lines of text, each as pieces from the left.
    public init(_ lines: [[StyledText]], column: Int = 0) {
        content = .lines(lines)
        self.column = column
    }
}
