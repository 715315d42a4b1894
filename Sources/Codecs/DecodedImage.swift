public import SpyglassPixels

/// A picture at the size that was asked for, upright, and how much of its file was there.
public struct DecodedImage: Sendable {
    /// How much of a picture its file holds.
    public enum Completeness: Hashable, Sendable {
        /// All of it. A file that lacks nothing but its end marker is whole.
        case whole
        /// The first `rows` of the stored picture's `of` rows, which are more; the others are transparent.
        case truncated(rows: Int, of: Int)
        /// Every row, and none of them for sure as it should be: a cut progressive file is coarse, a damaged one has gaps.
        case degraded
    }

    /// The pixels.
    public let pixels: PixelBuffer
    /// What the header says.
    public let info: ImageInfo
    /// How much of the picture there was.
    public let completeness: Completeness
    /// Complaints of the library that did not keep it from going on.
    public let warnings: Int
    /// The first of them or, of a partial picture without any, the reason why it ends; in the library's words.
    public let firstWarning: String?
    /// Why an embedded colour profile was not applied; `nil` when it was, or when there is none.
    public let colorWarning: String?

    /// A picture; whole and without a warning unless said otherwise.
    public init(
        pixels: PixelBuffer, info: ImageInfo, completeness: Completeness = .whole, warnings: Int = 0,
        firstWarning: String? = nil, colorWarning: String? = nil
    ) {
        self.pixels = pixels
        self.info = info
        self.completeness = completeness
        self.warnings = warnings
        self.firstWarning = firstWarning
        self.colorWarning = colorWarning
    }
}
