/// A format that can be decoded.
@nonexhaustive
public enum ImageFormat: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// JPEG, ITU-T T.81.
    case jpeg
    /// PNG, ISO/IEC 15948; of an animated one the default image.
    case png
    /// GIF 87a and 89a; of an animated one the first image, on the whole canvas.
    case gif
    /// BMP of Windows and OS/2.
    case bmp
    /// WebP, RFC 9649.
    case webp
    /// AVIF, a HEIF file with AV1 images; the primary one.
    case avif
    /// HEIF with HEVC images (HEIC), ISO 23008-12; the primary one.
    case heif
    /// TIFF 6.0 and BigTIFF; the first image.
    case tiff
    /// QOI 1.0.
    case qoi
    /// FITS 4.0, also compressed by gzip; the first image.
    case fits
    /// PBM, PGM, PPM and PAM of Netpbm; the first image.
    case pnm
    /// ICO of Windows; the largest image.
    case ico
    /// JPEG XL, ISO/IEC 18181; of an animated one the first frame.
    case jxl
    /// RAW files of cameras: the largest JPEG in them.
    case raw
    /// One of the caller's own (`ImageFormatDecoding`).
    case custom

    /// All formats but those of the caller's own.
    public static let allCases: [ImageFormat] = [
        .jpeg, .png, .gif, .bmp, .webp, .avif, .heif, .tiff, .qoi, .fits, .pnm, .ico, .jxl, .raw,
    ]

    /// The usual spelling: `JPEG`, `PNG`, `GIF`, `BMP`.
    public var description: String { entry.name }
    /// In lower case, the usual one first.
    package var fileExtensions: [String] { entry.fileExtensions }
}

/// The properties that set a format apart.
struct FormatEntry: Sendable {
    let name: String
    /// In lower case, the usual one first.
    let fileExtensions: [String]
    /// Empty for HEIF and AVIF, which have brands, and for PNM.
    let signatures: [FileSignature]
    /// The libraries that decode it; a worker opens one, the first that is installed.
    var libraries: [WorkerLibrary] = [.builtIn]
    /// Reads the header.
    let open: @Sendable (ByteReader, ImageLimits, ReadingOptions) throws(CodecError) -> any ImageDecoding & ~Copyable
    /// Opens the frames of an animation, `nil` for a still image; without it, the format has none.
    var openFrames: (@Sendable (ByteReader, ImageLimits) throws(CodecError) -> (any FrameDecoding)?)? = nil
    /// Whether frames are pages, which are opened one by one (`ReadingOptions.page`).
    var hasPages = false
    /// Counts the frames or pages up to a maximum, in Swift, without a library; as `openFrames`.
    var countFrames: (@Sendable (ByteReader, ImageLimits, Int) throws(CodecError) -> Int)? = nil
}

extension ImageFormat {
    /// Whether files of this format may be animations.
    package var mayMove: Bool { entry.openFrames != nil }

    /// Whether a file may hold several still images.
    package var mayHavePages: Bool { entry.hasPages }

    /// Whether a worker decodes it wherever there are workers: all but the formats of the web.
    package var needsWorker: Bool { ![.jpeg, .png, .gif, .bmp].contains(self) }

    /// The Debian packages without which not every file of the format can be decoded; opens its libraries.
    ///
    /// Where several libraries decode it, only the last counts: the others are faster, but optional.
    package var missingPackages: [String] {
        let versions = entry.libraries.last { $0 != .builtIn }?.versions ?? []
        return versions.compactMap { version in
            guard case .failure(let error) = version.version else { return nil }
            // The message ends with `apt install PACKAGE`.
            return error.description.split(separator: " ").last.map(String.init)
        }
    }

    var entry: FormatEntry {
        switch self {
        case .jpeg: Self.jpegEntry
        case .png: Self.pngEntry
        case .gif: Self.gifEntry
        case .bmp: Self.bmpEntry
        case .webp: Self.webpEntry
        case .avif: Self.avifEntry
        case .heif: Self.heifEntry
        case .tiff: Self.tiffEntry
        case .qoi: Self.qoiEntry
        case .fits: Self.fitsEntry
        case .pnm: Self.pnmEntry
        case .ico: Self.icoEntry
        case .jxl: Self.jxlEntry
        case .raw: Self.rawEntry
        case .custom: Self.customEntry
        }
    }

    private static let jpegEntry = FormatEntry(
        name: "JPEG", fileExtensions: ["jpg", "jpeg", "jpe", "jfif"], signatures: [[0xFF, 0xD8]]
    ) { (input, limits, options) throws(CodecError) in
        try JPEGDecoding(input, limits, windowBytes: options.windowBytes)
    }

    private static let pngEntry = FormatEntry(
        name: "PNG", fileExtensions: ["png"],
        // Four of eight bytes: the library reports a signature that a transfer has damaged.
        signatures: [[0x89, 0x50, 0x4E, 0x47], FileSignature("IHDR", at: 12)],
        open: { (input, limits, _) throws(CodecError) in try PNGDecoding(input, limits) },
        openFrames: { (input, limits) throws(CodecError) in try APNGFrames(input, limits) },
        countFrames: { (input, limits, _) throws(CodecError) in try APNGReader.countFrames(input) })

    private static let gifEntry = FormatEntry(
        name: "GIF", fileExtensions: ["gif"], signatures: ["GIF87a", "GIF89a"],
        open: { (input, limits, _) throws(CodecError) in try GIFDecoding(input, limits) },
        openFrames: { (input, limits) throws(CodecError) in try GIFFrames(input, limits) },
        countFrames: { (input, _, max) throws(CodecError) in try GIFReader(input).countImages(upTo: max) })

    private static let bmpEntry = FormatEntry(
        name: "BMP", fileExtensions: ["bmp", "dib"], signatures: [BMPHeader.signature]
    ) { (input, limits, _) throws(CodecError) in try BMPDecoding(input, limits) }

    private static let webpEntry = FormatEntry(
        name: "WebP", fileExtensions: ["webp"], signatures: [FileSignature("RIFF", and: Array("WEBP".utf8), at: 8)],
        libraries: [.webp], open: { (input, limits, _) throws(CodecError) in try WebPDecoding(input, limits) },
        openFrames: { (input, limits) throws(CodecError) in
            let still = try WebPDecoding(input, limits)
            return still.header.isAnimated ? try WebPFrames(still) : nil
        },
        countFrames: { (input, limits, max) throws(CodecError) in
            try WebPHeader(input, limits).countFrames(in: input, upTo: max)
        })

    private static let avifEntry = FormatEntry(
        name: "AVIF", fileExtensions: ["avif"], signatures: [], libraries: [.avif, .heif],
        open: { (input, limits, _) throws(CodecError) in try HEIFDecoding(input, limits, .avif) })

    private static let heifEntry = FormatEntry(
        name: "HEIC", fileExtensions: ["heic", "heif", "hif"], signatures: [], libraries: [.heif],
        open: { (input, limits, _) throws(CodecError) in try HEIFDecoding(input, limits, .heif) })

    /// `ImageDecoder.custom` opens it.
    private static let customEntry = FormatEntry(name: "custom", fileExtensions: [], signatures: []) {
        (_, _, _) throws(CodecError) in throw .unsupported("a custom format")
    }

    /// Without the library, a worker still shows the preview of a RAW file, most of which begin like a TIFF.
    private static let tiffEntry = FormatEntry(
        name: "TIFF", fileExtensions: ["tif", "tiff"], signatures: ["II*\0", "MM\0*", "II+\0", "MM\0+"],
        libraries: [.tiff, .builtIn], open: { (input, limits, _) throws(CodecError) in try TIFFDecoding(input, limits) }
    )

    private static let qoiEntry = FormatEntry(
        name: "QOI", fileExtensions: ["qoi"], signatures: ["qoif"]
    ) { (input, limits, _) throws(CodecError) in try QOIDecoding(input, limits) }

    private static let fitsEntry = FormatEntry(
        name: "FITS", fileExtensions: ["fits", "fit", "fts"],
        signatures: [FITSHeader.signature],
        open: { (input, limits, options) throws(CodecError) in try FITSDecoding(input, limits, options) },
        hasPages: true,
        countFrames: { (input, limits, max) throws(CodecError) in try FITSFile(input, limits).countPages(upTo: max) })

    private static let pnmEntry = FormatEntry(
        name: "PNM", fileExtensions: ["pnm", "pbm", "pgm", "ppm", "pam"], signatures: []
    ) { (input, limits, _) throws(CodecError) in try PNMDecoding(input, limits) }

    private static let icoEntry = FormatEntry(
        name: "ICO", fileExtensions: ["ico"], signatures: [[0, 0, 1, 0]]
    ) { (input, limits, _) throws(CodecError) in try ICODecoding(input, limits) }

    private static let jxlEntry = FormatEntry(
        name: "JPEG XL", fileExtensions: ["jxl"], signatures: [[0xFF, 0x0A], FileSignature(JXLReader.signature)],
        libraries: [.jxl], open: { (input, limits, _) throws(CodecError) in try JXLDecoding(input, limits) },
        openFrames: { (input, limits) throws(CodecError) in try JXLFrames(input, limits) },
        countFrames: { (input, limits, max) throws(CodecError) in try JXLFrames.count(in: input, limits, upTo: max) })

    private static let rawEntry = FormatEntry(
        name: "RAW", fileExtensions: ["cr2", "cr3", "nef", "arw", "dng", "orf", "rw2", "raf", "pef", "srw"],
        // The others start like a TIFF.
        signatures: [
            FileSignature(RAWFile.fujifilm), "IIRO", "IIRS", "MMOR", "IIU\0", FileSignature("ftypcrx ", at: 4),
        ]
    ) { (input, limits, options) throws(CodecError) in
        try RAWDecoding(input, limits, windowBytes: options.windowBytes)
    }
}

/// Bytes at a place near the start of a file, or at two.
struct FileSignature: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    private let parts: [(bytes: [UInt8], offset: Int)]

    init(_ text: String, at offset: Int) { parts = [(Array(text.utf8), offset)] }
    init(_ text: String, and other: [UInt8], at offset: Int) { parts = [(Array(text.utf8), 0), (other, offset)] }
    init(stringLiteral text: String) { self.init(text, at: 0) }
    init(_ bytes: [UInt8]) { parts = [(bytes, 0)] }
    init(arrayLiteral bytes: UInt8...) { self.init(bytes) }

    func matches(_ file: Span<UInt8>) -> Bool {
        for (bytes, offset) in parts where !file.matches(bytes, at: offset) { return false }
        return true
    }
}
