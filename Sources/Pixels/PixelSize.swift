/// The width and height of an image in pixels, each at least 1.
///
///     let box = PixelSize(width: 80, height: 46)
///     box.pixelCount  // 3680
public struct PixelSize: Hashable, Sendable {
    /// Pixels in a row.
    public let width: Int
    /// Rows.
    public let height: Int

    /// Makes a size; traps if a side is below 1 or the pixel count overflows.
    public init(width: Int, height: Int) {
        precondition(width >= 1 && height >= 1, "an image has at least one pixel each way")
        precondition(!width.multipliedReportingOverflow(by: height).overflow, "more pixels than can be counted")
        self.width = width
        self.height = height
    }

    /// Makes a size from untrusted numbers; `nil` if a side is below 1 or the pixel count overflows.
    public init?(checking width: Int, _ height: Int) {
        guard width >= 1, height >= 1, !width.multipliedReportingOverflow(by: height).overflow else { return nil }
        self.init(width: width, height: height)
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
