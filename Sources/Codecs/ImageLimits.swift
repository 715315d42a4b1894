internal import SpyglassPixels
internal import SpyglassThreads

/// Limits for input files.
///
/// A value equal to its limit is allowed, except for `warnings`. Larger ones are rejected before memory is allocated; 0 allows
/// nothing.
public struct ImageLimits: Hashable, Sendable {
    /// Pixels of an image, and of its output: 100 million, a square of 10,000.
    ///
    /// Hard limits: 2^47 pixels of input, 2^29 of output (2 GiB).
    public var pixels = 100_000_000
    /// Width and height: 65,535, a JPEG's maximum.
    ///
    /// Hard limit: 2^25; a row of a PNG may then take 256 MiB.
    public var side = 65_535
    /// Bytes of coefficients of a JPEG with several scans: 256 MiB, or 45 million pixels with 4:2:0 colour.
    public var coefficientBytes = 256 << 20
    /// Scans of a progressive JPEG: 100; each costs a pass over the whole image.
    public var scans = 100
    /// Frames of an animation: 20,000, half an hour at ten a second.
    public var frames = 20_000
    /// Pixels of all frames of an animation together: 10 billion, about ten seconds of decoding.
    public var framePixels = 10_000_000_000
    /// Warnings at which decoding gives up: 100; a JPEG's repeated ones count once for each row of blocks.
    ///
    /// Bytes between the markers of a JPEG are no reason to give up.
    public var warnings = 100
    /// Unpacked bytes of a PNG chunk other than pixels: 8 million (libpng's default, `png_set_chunk_malloc_max`).
    public var pngChunkBytes = 8_000_000
    /// Bytes of otherwise unbounded input: 64 MiB of standard input, a body, a header, or an arithmetic-coded JPEG.
    ///
    /// A file on disk may have 4 GiB, or this if it is more.
    public var bodyBytes = 64 << 20

    /// Bytes that one image takes while it is decoded, besides rows and outputs: 352 MiB, so that a process and its worker stay
    /// below 400 MB.
    ///
    /// Libraries that decode whole take 2 to 10 bytes a pixel, animations 8 to 25.
    public var workBytes = 352 << 20

    /// The limits above.
    public init() {}

    /// Limits for images from strangers: 50 million pixels, 96 MiB of coefficients, 20 MiB of input that is not a file.
    public static let upload: ImageLimits = {
        var limits = ImageLimits()
        (limits.pixels, limits.coefficientBytes, limits.bodyBytes) = (50_000_000, 96 << 20, 20 << 20)
        return limits
    }()
}

extension ImageLimits {
    /// A limit that a file exceeds, with the value it needs where known.
    @nonexhaustive
    public enum Exceeded: Hashable, Sendable {
        /// `pixels`
        case pixels(needing: Int)
        /// `side`
        case side(needing: Int)
        /// `coefficientBytes`
        case coefficientBytes(needing: Int)
        /// `scans`, at least
        case scans(needing: Int)
        /// `frames`, at least
        case frames(needing: Int)
        /// `framePixels`, at least
        case framePixels(needing: Int)
        /// `pngChunkBytes`
        case pngChunkBytes
        /// `bodyBytes`
        case bodyBytes
        /// `workBytes`, or the limit of `WorkMemory`, in bytes
        case workMemory(needing: Int)

        /// `nil` if it is not known.
        var needed: Int? {
            switch self {
            case .pixels(let needed), .side(let needed), .coefficientBytes(let needed), .scans(let needed),
                .frames(let needed), .framePixels(let needed), .workMemory(let needed):
                needed
            case .pngChunkBytes, .bodyBytes: nil
            }
        }
    }

    /// A row of a PNG takes up to eight bytes a pixel, several times over.
    private static let maxSide = 1 << 25
    private static let maxTargetPixels = 1 << 29
    /// Larger files are hardly images; reading or hashing one takes minutes.
    private static let minFileBytes = 4 << 30

    func size(_ width: UInt32, _ height: UInt32) throws(CodecError) -> PixelSize {
        guard let size = PixelSize(checking: Int(width), Int(height)) else {
            throw CodecError(.corrupt, "\(width)x\(height) is not a valid image size")
        }
        try check(size)
        return size
    }

    func check(_ size: PixelSize) throws(CodecError) { try check(size, max: AreaResampler.maximumPixelCount - 1) }
    func checkTarget(_ size: PixelSize) throws(CodecError) { try check(size, max: Self.maxTargetPixels) }

    func checkTargets(pixels count: Int) throws(CodecError) {
        try check("the sizes together are", count, max: Self.maxTargetPixels)
    }

    private func check(_ size: PixelSize, max maxPixels: Int) throws(CodecError) {
        let longest = max(size.width, size.height)
        if longest > Self.maxSide {
            throw CodecError(.limit, "\(size) has a side above the maximum of \(Self.maxSide) pixels")
        }
        // First, since what is raised for it also replaces the limit of a side.
        try check("\(size) is", size.pixelCount, max: maxPixels)
        if longest > side {
            throw CodecError(.side(needing: longest), "\(size) has a side above the limit of \(side) pixels")
        }
    }

    private func check(
        _ subject: @autoclosure () -> String, _ count: Int, max maxPixels: Int
    ) throws(CodecError) {
        guard count > min(maxPixels, pixels) else { return }
        let words = "\(subject()) \(Self.millions(count)) pixels, above the"
        if count > maxPixels { throw CodecError(.limit, "\(words) maximum of \(Self.millions(maxPixels))") }
        throw CodecError(.pixels(needing: count), "\(words) limit of \(Self.millions(pixels))")
    }

    /// Throws if the first frames of an animation exceed a limit.
    func check(frames count: Int, pixels sum: Int) throws(CodecError) {
        if count > frames { throw CodecError(.frames(needing: count), "more frames than the limit of \(frames)") }
        if sum > framePixels {
            throw CodecError(
                .framePixels(needing: sum),
                "its first \(count) frames are \(Self.millions(sum)) pixels, above the limit of \(Self.millions(framePixels))"
            )
        }
    }

    /// Throws if a file on disk has more bytes than allowed, before it is read.
    package func check(fileBytes count: Int) throws(CodecError) {
        let limit = fileBytes
        if count > limit { throw CodecError(.bodyBytes, "a file of \(count) bytes, above the limit of \(limit) bytes") }
    }

    /// Bytes of a file on disk, and of one that is inflated.
    var fileBytes: Int { max(bodyBytes, Self.minFileBytes) }

    func check(workBytes needed: Int) throws(CodecError) {
        if needed > workBytes { throw CodecError(.exceedsLimit(needed: needed, limit: workBytes)) }
    }

    func longHeader() -> CodecError { CodecError(.bodyBytes, "a header of more than \(bodyBytes) bytes") }

    /// Formats a count, rounded up: `900 M`, `100.1 M`, `999`.
    static func millions(_ count: Int) -> String {
        let tenth = 100_000
        guard count >= 10 * tenth else { return "\(count)" }
        let tenths = count / tenth + (count % tenth == 0 ? 0 : 1)
        return tenths % 10 == 0 ? "\(tenths / 10) M" : "\(tenths / 10).\(tenths % 10) M"
    }
}
