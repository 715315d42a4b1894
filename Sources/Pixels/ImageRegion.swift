/// A part of an upright image, in fractions of its width and height.
///
///     let center = ImageRegion(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
///     let request = ImageRequest("photo.jpg", region: center, target: target)
///
/// Fractions name the same part of every rendition of a photo, whatever its size.
public struct ImageRegion: Hashable, Sendable {
    /// The left edge, 0 to 1.
    public let x: Double
    /// The upper edge, 0 to 1.
    public let y: Double
    /// The width, at most `1 - x`.
    public let width: Double
    /// The height, at most `1 - y`.
    public let height: Double

    /// The whole image.
    public static let whole = ImageRegion(x: 0, y: 0, width: 1, height: 1)

    /// Makes a region; what is outside the image is cut off, and numbers that are not finite count as 0.
    public init(x: Double, y: Double, width: Double, height: Double) {
        let (left, right) = Self.clamped(x, width)
        let (top, bottom) = Self.clamped(y, height)
        self.x = left
        self.y = top
        self.width = right - left
        self.height = bottom - top
    }

    private static func clamped(_ start: Double, _ length: Double) -> (Double, Double) {
        func fraction(_ value: Double) -> Double { value.isFinite ? min(max(value, 0), 1) : 0 }
        let first = fraction(start)
        return (first, max(fraction((start.isFinite ? start : 0) + length), first))
    }

    /// Returns the pixels of the region, rounded to the nearest; at least one.
    package func area(in size: PixelSize) -> PixelArea {
        func range(_ start: Double, _ length: Double, of count: Int) -> (Int, Int) {
            // The greatest counts have no exact `Double`.
            func edge(_ fraction: Double) -> Int { fraction < 1 ? Int((fraction * Double(count)).rounded()) : count }
            let first = min(edge(start), count - 1)
            return (first, max(min(edge(start + length), count) - first, 1))
        }
        let (column, columns) = range(x, width, of: size.width)
        let (row, rows) = range(y, height, of: size.height)
        return PixelArea(x: column, y: row, size: PixelSize(width: columns, height: rows))
    }
}

/// A rectangle of an image's pixels.
package struct PixelArea: Hashable, Sendable {
    /// Pixels to the left of it.
    package let x: Int
    /// Rows above it.
    package let y: Int
    /// Its size.
    package let size: PixelSize

    /// Makes the area of all pixels.
    package init(of size: PixelSize) { self.init(x: 0, y: 0, size: size) }

    /// The column right of it.
    package var endX: Int { x + size.width }
    /// The row below it.
    package var endY: Int { y + size.height }
    func isInside(_ size: PixelSize) -> Bool { x >= 0 && y >= 0 && endX <= size.width && endY <= size.height }

    /// Makes an area; the caller keeps it inside its image.
    package init(x: Int, y: Int, size: PixelSize) {
        self.x = x
        self.y = y
        self.size = size
    }
}
