/// The width and height of an image in pixels, each at least 1.
///
///     let box = PixelSize(width: 80, height: 46)
///     box.pixelCount  // 3680
public struct PixelSize: Hashable, Sendable {
    /// Pixels in a row.
    public let width: Int
    /// Rows.
    public let height: Int

    /// Makes the nearest valid size.
    ///
    /// A side below 1 becomes 1. If the pixel count would overflow, sides above 2^31 - 1 become that.
    public init(width: Int, height: Int) {
        let overflows = max(width, 1).multipliedReportingOverflow(by: max(height, 1)).overflow
        let maxSide = overflows ? Int(Int32.max) : .max
        self.width = min(max(width, 1), maxSide)
        self.height = min(max(height, 1), maxSide)
    }

    /// Makes a size from untrusted numbers; `nil` if a side is below 1 or the pixel count overflows.
    public init?(checking width: Int, _ height: Int) {
        self.init(width: width, height: height)
        guard self.width == width, self.height == height else { return nil }
    }

    /// Width times height.
    public var pixelCount: Int { width * height }

    /// The size of an image of which a part has this size, where the part has a size of `part` in an image of `whole`.
    package func scaled(from part: PixelSize, to whole: PixelSize) -> PixelSize {
        func side(_ length: Int, _ part: Int, _ whole: Int) -> Int {
            Int(min((Double(length) * Double(whole) / Double(part)).rounded(), Double(Int32.max)))
        }
        return PixelSize(width: side(width, part.width, whole.width), height: side(height, part.height, whole.height))
    }

    /// The size with width and height exchanged.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize: CustomStringConvertible {
    /// The text for messages: `640x480`.
    public var description: String { "\(width)x\(height)" }
}
