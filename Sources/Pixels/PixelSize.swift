/// The width and height of a picture, in pixels; each is at least 1.
///
///     let box = PixelSize(width: 80, height: 46)
///     box.pixelCount  // 3680
public struct PixelSize: Hashable, Sendable {
    /// Pixels in a row.
    public let width: Int
    /// Rows.
    public let height: Int

    /// A size that the caller has checked; a side below 1, or more pixels than an `Int` holds, is a programming error and traps.
    public init(width: Int, height: Int) {
        precondition(width >= 1 && height >= 1, "a picture has at least one pixel each way")
        precondition(!width.multipliedReportingOverflow(by: height).overflow, "more pixels than can be counted")
        self.width = width
        self.height = height
    }

    /// A size read from outside: `nil` when a side is below 1 or the number of pixels does not fit an `Int`.
    public init?(checking width: Int, _ height: Int) {
        guard width >= 1, height >= 1, !width.multipliedReportingOverflow(by: height).overflow else { return nil }
        self.init(width: width, height: height)
    }

    /// Width times height.
    public var pixelCount: Int { width * height }

    /// The same picture lying on its side.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize: CustomStringConvertible {
    /// For messages: `640x480`.
    public var description: String { "\(width)x\(height)" }
}
