internal import SpyglassPixels

/// What a file may ask for.
///
/// What is equal to a limit is allowed, and what goes above it is refused before memory is taken; 0 allows nothing.
public struct ImageLimits: Hashable, Sendable {
    /// Pixels of a picture, and of what is made of it: 100 million, a square of 10,000.
    ///
    /// However high it is, a picture has fewer than 2^47 pixels, and what is made of it no more than 2^29, which are 2 GiB.
    public var pixels = 100_000_000
    /// Width and height: 65,535, the largest that a JPEG can state.
    ///
    /// However high it is, they are no more than 2^25: a row of a PNG may then take 256 MiB.
    public var side = 65_535
    /// Coefficients of a JPEG of several scans, which must all be kept: 256 MiB, 45 million pixels with colour at half resolution.
    public var coefficientBytes = 256 << 20
    /// Scans of a progressive JPEG: 100.
    ///
    /// Each costs a walk over the whole picture, however few bytes it has.
    public var scans = 100
    /// The number of warnings at which a file is given up: 100; of a JPEG, what repeats itself within a row of blocks counts once.
    public var warnings = 100
    /// Bytes of one chunk of a PNG beside its pixels, unpacked: 8 million (`png_set_chunk_malloc_max`; its own default).
    public var pngChunkBytes = 8_000_000
    /// Bytes of what has no other end: 64 MiB of standard input, of a body, of the header of a file, and of an
    /// arithmetic-coded JPEG, whose library cannot read it through a window.
    public var bodyBytes = 64 << 20

    /// The limits above.
    public init() {}
}

extension ImageLimits {
    /// A limit that a file exceeds, and the least value of it that would do, where that is known.
    public enum Exceeded: Hashable, Sendable {
        /// `pixels`
        case pixels(needing: Int)
        /// `side`
        case side(needing: Int)
        /// `coefficientBytes`
        case coefficientBytes(needing: Int)
        /// `scans`, of which there may be more.
        case scans(needing: Int)
        /// `pngChunkBytes`
        case pngChunkBytes
        /// `bodyBytes`
        case bodyBytes
    }

    /// A row of a PNG has eight bytes a pixel at the most, and it is kept a few times.
    private static let maxSide = 1 << 25
    /// What is made is kept whole.
    private static let maxTargetPixels = 1 << 29

    /// The size as a size, if it is within the limits.
    func size(_ width: UInt32, _ height: UInt32) throws(CodecError) -> PixelSize {
        guard let size = PixelSize(checking: Int(width), Int(height)) else {
            throw CodecError(.corrupt, "\(width)x\(height) is no size of a picture")
        }
        try check(size)
        return size
    }

    /// Refuses what is too large to be read.
    func check(_ size: PixelSize) throws(CodecError) {
        try check(size, most: AreaResampler.maximumPixelCount - 1)
    }

    /// Refuses what is too large to be made.
    func checkTarget(_ size: PixelSize) throws(CodecError) { try check(size, most: Self.maxTargetPixels) }

    /// Refuses pictures of one file that are too large together.
    func checkTargets(pixels count: Int) throws(CodecError) {
        let words = "the sizes together are \(Self.millions(count)) pixels"
        if count > Self.maxTargetPixels {
            throw CodecError(.limit, "\(words), and no more than \(Self.millions(Self.maxTargetPixels)) are possible")
        }
        if count > pixels {
            throw CodecError(.pixels(needing: count), "\(words), above the limit of \(Self.millions(pixels))")
        }
    }

    private func check(_ size: PixelSize, most: Int) throws(CodecError) {
        let longest = max(size.width, size.height)
        if longest > Self.maxSide {
            throw CodecError(.limit, "\(size) has a side above \(Self.maxSide) pixels, the most that is read")
        }
        if longest > side {
            throw CodecError(.side(needing: longest), "\(size) has a side above the limit of \(side) pixels")
        }
        let count = size.pixelCount
        if count > most {
            throw CodecError(
                .limit,
                "\(size) is \(Self.millions(count)) pixels, and no more than \(Self.millions(most)) are possible")
        }
        if count > pixels {
            throw CodecError(
                .pixels(needing: count),
                "\(size) is \(Self.millions(count)) pixels, above the limit of \(Self.millions(pixels))")
        }
    }

    /// The error of a file in which no picture starts for as long as `bodyBytes`.
    func longHeader() -> CodecError { CodecError(.bodyBytes, "a header of more than \(bodyBytes) bytes") }

    /// `900 M`, `100.1 M`, `999`; never less than there is.
    static func millions(_ count: Int) -> String {
        let tenth = 100_000
        guard count >= 10 * tenth else { return "\(count)" }
        let tenths = count / tenth + (count % tenth == 0 ? 0 : 1)
        return tenths % 10 == 0 ? "\(tenths / 10) M" : "\(tenths / 10).\(tenths % 10) M"
    }
}
