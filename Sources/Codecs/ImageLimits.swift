internal import SpyglassPixels

/// What a file may ask for.
///
/// A limit is itself allowed; what goes above it is refused before memory is taken.
public struct ImageLimits: Hashable, Sendable {
    /// Pixels of a picture, and of what is made of it: 100 million, a square of 10,000.
    public var pixels = 100_000_000
    /// Width and height: 65,535, the largest that a JPEG can state.
    public var side = 65_535
    /// Coefficients of a JPEG of several scans, which must all be kept: 256 MiB, 45 million pixels with colour at half resolution.
    public var coefficientBytes = 256 << 20
    /// Scans of a progressive JPEG: 100.
    ///
    /// Each costs a walk over the whole picture, however few bytes it has.
    public var scans = 100
    /// The number of warnings at which a file is given up: 100.
    public var warnings = 100
    /// Chunks of a PNG that its library keeps: 1,000 (`png_set_chunk_cache_max`; its own default).
    public var pngChunks = 1000
    /// Bytes of one chunk of a PNG beside its pixels, unpacked: 8 million (`png_set_chunk_malloc_max`; its own default).
    public var pngChunkBytes = 8_000_000
    /// Bytes of what has no other end: 64 MiB of standard input, of a body, of the header of a file, and of an
    /// arithmetic-coded JPEG, whose library cannot read it through a window.
    public var bodyBytes = 64 << 20

    /// The limits above.
    public init() {}
}

extension ImageLimits {
    /// The size as a size, if it is within the limits.
    func size(_ width: UInt32, _ height: UInt32) throws(DecodeError) -> PixelSize {
        guard let size = PixelSize(checking: Int(width), Int(height)) else {
            throw DecodeError(.corrupt, "\(width)x\(height) is no size of a picture")
        }
        try check(size)
        return size
    }

    func check(_ size: PixelSize) throws(DecodeError) {
        let longest = max(size.width, size.height)
        if longest > side {
            throw DecodeError(
                .limit, "\(size) has a side above the limit of \(side) pixels (raise it with --max-side \(longest))")
        }
        guard size.pixelCount > pixels else { return }
        let needed = Self.roundedUp(size.pixelCount)
        throw DecodeError(
            .limit,
            "\(size) is \(Self.millions(size.pixelCount)) pixels, above the limit of \(Self.millions(pixels)) "
                + "(raise it with --max-pixels \(needed))")
    }

    /// The error of a file in which no picture starts for as long as `bodyBytes`.
    func longHeader() -> DecodeError {
        DecodeError(.limit, "a header of more than \(bodyBytes) bytes (raise it with --max-bytes)")
    }

    /// `900 M`, `100.1 M`, `999`; never less than there is.
    static func millions(_ count: Int) -> String {
        let tenth = 100_000
        guard count >= 10 * tenth else { return "\(count)" }
        let tenths = count / tenth + (count % tenth == 0 ? 0 : 1)
        return tenths % 10 == 0 ? "\(tenths / 10) M" : "\(tenths / 10).\(tenths % 10) M"
    }

    /// The least value to give to an option so that it allows `count`: `900M`, `101M`, `999`.
    private static func roundedUp(_ count: Int) -> String {
        let million = 1_000_000
        guard count >= million else { return "\(count)" }
        return "\(count / million + (count % million == 0 ? 0 : 1))M"
    }
}
