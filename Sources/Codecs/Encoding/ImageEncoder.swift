public import SpyglassPixels

/// Encodes pictures as JPEG and PNG files.
///
///     let encoder = ImageEncoder(.jpeg(.init(quality: 82)), comment: "made by me")
///     let file = try encoder.encode(image.pixels)
///
/// A file holds the picture and nothing else: no colour space, which is sRGB where none is stated, no thumbnail, no date; only the comment
/// and the EXIF block that it is given. The same picture gives the same bytes with the same versions of the C libraries.
///
/// A value without state: any number of threads may use one. Calls compute; they block and belong on a thread of their own. Beside the
/// picture, memory holds the file, at most twice over, and a few rows; of a progressive JPEG its coefficients besides, six bytes a pixel at the most.
public struct ImageEncoder: Sendable {
    /// The kind of file, and how it is written.
    public enum Format: Hashable, Sendable {
        /// A JPEG: lossy, without transparency. A picture whose pixels are all grey is stored in grey.
        case jpeg(JPEGOptions)
        /// A PNG of the fewest bits a pixel that hold the picture exactly: grey, a palette, RGB, with alpha only when a pixel is not opaque.
        case png
    }

    /// How a JPEG is written.
    public struct JPEGOptions: Hashable, Sendable {
        /// From 1 to 100, libjpeg's scale; values beyond are taken for the nearest.
        public var quality: Int
        /// Whether the picture comes in several passes, each finer (`jpeg_simple_progression`), at seven times the time.
        public var isProgressive: Bool
        /// Whether the picture gets Huffman tables of its own (`optimize_coding`).
        ///
        /// That saves 9 % of the bytes of a photograph at 160 pixels and 5 %
        /// at 320, and takes three to four times as long.
        public var isOptimized: Bool
        /// How colour is subsampled; `nil`: 4:4:4 from a quality of 90 on, 4:2:0 below.
        public var subsampling: ChromaSubsampling?

        /// Options, all of which have a default.
        public init(
            quality: Int = 82, isProgressive: Bool = false, isOptimized: Bool = false,
            subsampling: ChromaSubsampling? = nil
        ) {
            self.quality = quality
            self.isProgressive = isProgressive
            self.isOptimized = isOptimized
            self.subsampling = subsampling
        }
    }

    /// The kind of file.
    public let format: Format
    /// What stands in the JPEG's COM segment or the PNG's tEXt chunk `Comment`, close to the start of the file.
    public let comment: String?
    /// The EXIF block of the files: a TIFF block that says that the picture is upright.
    public let exif: [UInt8]?
    /// What shows through where a picture that becomes a JPEG is not opaque.
    public let background: RGBA

    /// An encoder.
    ///
    /// - Parameters:
    ///   - format: the kind of file.
    ///   - comment: printable ASCII, of which the first 900 characters are kept; other characters become question marks.
    ///   - exif: an EXIF block of any origin, as `DecodedImage.exif` has it. It is kept as if the picture had always been upright and without its
    ///     thumbnail; a damaged one is dropped, and from a JPEG one of more than 65,527 bytes.
    ///   - background: the opaque colour on which transparent pixels are laid, in linear light, for a JPEG.
    public init(
        _ format: Format, comment: String? = nil, exif: [UInt8]? = nil, background: RGBA = RGBA(255, 255, 255)
    ) {
        self.format = format
        self.comment = comment.map(ImageComment.cleaned)
        self.exif = exif.flatMap(Exif.upright)
        self.background = background
    }

    /// The whole file.
    ///
    /// - Parameter picture: the picture, sRGB and upright.
    /// - Returns: the bytes of the file.
    /// - Throws: `CodecError`, of kind `limit` for a JPEG with a side above 65,500 pixels.
    public func encode(_ picture: PixelBuffer) throws(CodecError) -> [UInt8] {
        switch format {
        case .jpeg(let options):
            let opaque = OpaqueRows(picture, over: background)
            return try JPEGEncoding(opaque).encoded(options, comment: comment, exif: exif)
        case .png: return try PNGEncoding(picture).encoded(comment: comment, exif: exif)
        }
    }
}
