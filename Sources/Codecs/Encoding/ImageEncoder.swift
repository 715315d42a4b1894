public import SpyglassPixels

/// Encodes images as JPEG and PNG files.
///
///     let encoder = ImageEncoder(.jpeg(.init(quality: 82)), comment: "made by me")
///     let file = try encoder.encode(image.pixels)
///
/// A file holds the image and, if given, a comment and an EXIF block. It has neither a colour profile (sRGB is implied) nor a date.
/// Equal images give equal bytes with equal versions of the C libraries.
///
/// Stateless and thread-safe. Calls compute; they block and belong on a thread of their own. Memory is the image, up to
/// twice the file, and a few rows; a progressive JPEG adds six bytes a pixel.
public struct ImageEncoder: Sendable {
    /// The file format and its options.
    @nonexhaustive
    public enum Format: Hashable, Sendable {
        /// A JPEG: lossy, without transparency; grey if all pixels are.
        case jpeg(JPEGOptions = JPEGOptions())
        /// A PNG of the fewest bits that hold the image exactly: grey, a palette, RGB, with alpha only if used.
        case png
    }

    /// JPEG options.
    public struct JPEGOptions: Hashable, Sendable {
        /// libjpeg's scale from 1 to 100; other values are clamped.
        public var quality: Int
        /// Whether the file has several passes, each finer (`jpeg_simple_progression`), at seven times the time.
        public var isProgressive: Bool
        /// Whether Huffman tables are optimised (`optimize_coding`).
        ///
        /// Saves 9 % of a photograph's bytes at 160 pixels and 5 % at 320, in three to four times the time.
        public var isOptimized: Bool
        /// Chroma subsampling; `nil` for 4:4:4 from a quality of 90 on, 4:2:0 below.
        public var subsampling: ChromaSubsampling?

        /// Makes options.
        public init(
            quality: Int = 82, isProgressive: Bool = false, isOptimized: Bool = false,
            subsampling: ChromaSubsampling? = nil
        ) {
            (self.quality, self.subsampling) = (quality, subsampling)
            (self.isProgressive, self.isOptimized) = (isProgressive, isOptimized)
        }
    }

    /// The file format.
    public let format: Format
    /// The COM segment of a JPEG or tEXt chunk `Comment` of a PNG, near the start of the file.
    public let comment: String?
    /// The EXIF block, marked as upright.
    public let exif: [UInt8]?
    /// The colour behind transparent pixels of a JPEG.
    public let background: RGBA

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - format: the file format.
    ///   - comment: printable ASCII, cut after 900 characters; others become question marks.
    ///   - exif: an EXIF block, as in `DecodedImage.exif`; it is marked as upright, loses its thumbnail, and a size in it becomes
    ///     that of the encoded image. An invalid one is dropped, and for a JPEG one above 65,527 bytes.
    ///   - background: the opaque colour behind transparent pixels of a JPEG, blended in linear light.
    public init(
        _ format: Format, comment: String? = nil, exif: [UInt8]? = nil, background: RGBA = RGBA(255, 255, 255)
    ) {
        self.format = format
        self.comment = comment.map(ImageComment.cleaned)
        self.exif = exif.flatMap(Exif.upright)
        self.background = background
    }

    /// Encodes an image.
    ///
    /// - Parameter image: sRGB pixels, upright.
    /// - Returns: the file.
    /// - Throws: `CodecError`, of kind `limit` for a JPEG with a side above 65,500 pixels.
    public func encode(_ image: PixelBuffer) throws(CodecError) -> [UInt8] {
        var file: [UInt8] = []
        try encode(image, into: &file)
        return file
    }

    /// Encodes an image and appends it to an array: after the head of a response, or to an empty array with reserved capacity.
    ///
    ///     file.removeAll(keepingCapacity: true)
    ///     try encoder.encode(image.pixels, into: &file)
    ///
    /// - Throws: `CodecError`, as `encode(_:)`; the array is then unchanged.
    public func encode(_ image: PixelBuffer, into file: inout [UInt8]) throws(CodecError) {
        let metadata = FileMetadata(comment: comment ?? "", exif: exif.map { Exif.settingSize(image.size, in: $0) })
        switch format {
        case .jpeg(let options):
            try JPEGEncoding(OpaqueRows(image, over: background)).encode(options, metadata, into: &file)
        case .png: try PNGEncoding(image, metadata).encode(into: &file)
        }
    }
}

/// How many pixels of a JPEG share a colour sample; each has its own luminance.
public enum ChromaSubsampling: Hashable, Sendable, CaseIterable {
    /// 4:4:4, one each: for red text and thin coloured lines.
    case ratio444
    /// 4:2:2, two in a row.
    case ratio422
    /// 4:2:0, two by two: usual for cameras and the web.
    case ratio420

    /// The quality from which 4:4:4 is worth about a third more bytes.
    static let minFullQuality = 90

    static func suiting(quality: Int) -> ChromaSubsampling { quality >= minFullQuality ? .ratio444 : .ratio420 }

    /// Pixels per sample.
    var horizontal: Int { self == .ratio444 ? 1 : 2 }
    var vertical: Int { self == .ratio420 ? 2 : 1 }
}
