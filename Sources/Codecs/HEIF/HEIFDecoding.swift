internal import SpyglassCHEIF
internal import SpyglassPixels

/// libheif, opened at run time, with its plugins.
///
/// `@unchecked Sendable`: the function table is only written before `sg_heif_open` returns.
struct HEIFLibrary: @unchecked Sendable {
    let functions: OpaquePointer

    static let system: Result<HEIFLibrary, CodecError> = Self.open("libheif.so.1")

    static func open(_ name: String) -> Result<HEIFLibrary, CodecError> {
        guard let functions = sg_heif_open(name) else {
            return .failure(WorkerLibrary.missing("libheif1", for: "HEIC and AVIF need"))
        }
        return .success(HEIFLibrary(functions: functions))
    }

    /// `heif_get_version`, such as 1.15.1.
    var version: String { String(libraryMessage: sg_heif_version(functions)) }
}

/// Decodes the primary image of a HEIC file through libheif, of an AVIF file through libavif if that is there; turning and
/// cropping are ours.
///
/// Both decode whole; libavif's planes are converted by rows.
struct HEIFDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    let input: ByteReader
    let limits: ImageLimits
    private let header: HEIFHeader

    init(_ input: ByteReader, _ limits: ImageLimits, _ format: ImageFormat) throws(CodecError) {
        header = try HEIFHeader(input, limits, format)
        info = ImageInfo(
            format: format, storedSize: header.area.size, orientation: header.orientation, hasAlpha: header.hasAlpha,
            colorDescription: header.colorDescription)
        self.input = input
        self.limits = limits
    }

    var colors: ImageColors { .rgb }
    func profile() -> EmbeddedProfile { header.profile.map { .bytes($0) } ?? .none }

    func withExif<Value>(_ body: (Span<UInt8>) -> Value?) -> Value? {
        header.exif.flatMap { Exif.withBlock(of: $0.span, body) }
    }

    /// The process that reserves memory does not know which library decodes AVIF: what libheif needs, unless only libavif may.
    func workBytes(_ spec: DecodeSpec) -> Int {
        info.format == .avif ? max(avifBytes, min(heifBytes, limits.workBytes)) : heifBytes
    }

    /// Measured: planes of the codec, those of the library, and RGB; of a grid planes for all of it, and four tiles at a time.
    ///
    /// Those of more than 8 bits are twice as large, except of HEVC, whose codec has 16 for all.
    private var heifBytes: Int {
        let pixels = header.codedSize.pixelCount
        let isGrid = header.tiles > 0
        let isWide = header.bits > 8 && (isGrid || info.format == .avif || header.isAV1)
        let bytes = ((isGrid ? 7 : 10) + (header.hasAlpha ? 3 : 0)) * pixels + (isGrid ? 40 * pixels / header.tiles : 0)
        return fileBytes + bytes * (isWide ? 2 : 1)
    }

    /// Measured: planes, and five eighths of a byte for what the codec knows of a pixel; of a grid those of its tiles besides.
    var avifBytes: Int {
        let halves = (header.samples + (header.hasAlpha ? 2 : 0)) * (header.bits > 8 ? 2 : 1)
        let eighths = 4 * halves + (header.hasAlpha ? 10 : 5)
        return fileBytes + header.codedSize.pixelCount / 8 * eighths * (header.tiles > 0 ? 2 : 1)
    }

    private var fileBytes: Int { min((try? input.byteCount()) ?? 0, max(limits.bodyBytes, 0)) }

    func start() throws(CodecError) -> RowLayout {
        if info.format == .heif || AVIFLibrary.system == nil {
            _ = try HEIFLibrary.system.get()
            try limits.check(workBytes: heifBytes)
        }
        return header.hasAlpha ? .rgba : .rgb
    }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        // One byte more tells that nothing was added.
        var file = try InputPrefix(capacity: input.byteCount() + 1, limits)
        try file.readAll(from: input)
        if info.format == .avif, let library = AVIFLibrary.system {
            try readRows(of: area, layout, library.decode(file, maxPixels: maxPixels), take)
            return RowsRead()
        }
        let library = try HEIFLibrary.system.get()
        var message = [CChar](repeating: 0, count: 256)
        guard
            let image = sg_heif_decode(
                library.functions, file.bytes, file.count, CInt(clamping: maxSide), layout.hasAlpha, &message,
                message.count)
        else { throw .corrupt(info.format, String(libraryMessage: message)) }
        defer { sg_heif_image_destroy(image) }
        var (width, height, stride) = (CInt(0), CInt(0), CInt(0))
        guard let pixels = sg_heif_pixels(image, &width, &height, &stride), Int(width) >= header.area.endX,
            Int(height) >= header.area.endY, Int(stride) >= Int(width) * layout.channels
        else { throw .corrupt(info.format, "an image of another size than stated") }
        try input.checkCancelled()
        let isPremultiplied = layout.hasAlpha && sg_heif_is_premultiplied(image)
        var straight: [UInt8] = []
        for y in area.y..<area.endY {
            let start = (header.area.y + y) * Int(stride) + header.area.x * layout.channels
            let row = UnsafeBufferPointer(start: pixels + start, count: header.area.size.width * layout.channels)
            guard isPremultiplied else {
                take(row.span)
                continue
            }
            straight = Array(row)
            straight.withUnsafeMutableBytes { layout.makeStraight($0, pixels: header.area.size.width) }
            take(straight.span)
        }
        return RowsRead()
    }

    /// Codecs pad to blocks, and grids to tiles.
    private var maxSide: Int { max(header.codedSize.width, header.codedSize.height) + Self.padding }
    private var maxPixels: Int { (header.codedSize.width + Self.padding) * (header.codedSize.height + Self.padding) }
    private static let padding = 1024

    private func readRows(
        of area: PixelArea, _ layout: RowLayout, _ image: borrowing AVIFImage, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) {
        guard image.width >= header.area.endX, image.height >= header.area.endY else {
            throw .corrupt(.avif, "an image of another size than stated")
        }
        let rowBytes = image.width * layout.channels
        var band = [UInt8](repeating: 0, count: Self.bandRows * rowBytes)
        let rows = header.area.y + area.y..<header.area.y + area.endY
        let columns = header.area.x * layout.channels..<header.area.endX * layout.channels
        // Rows of subsampled chroma belong to two.
        for top in stride(from: rows.lowerBound & ~1, to: rows.upperBound, by: Self.bandRows) {
            try input.checkCancelled()
            let end = min(top + Self.bandRows, rows.upperBound)
            guard image.convert(from: top, hasAlpha: layout.hasAlpha, count: end - top, to: &band) else {
                throw .corrupt(.avif, "planes that cannot be converted")
            }
            for y in max(top, rows.lowerBound)..<end {
                let start = (y - top) * rowBytes
                take(band.span.extracting(start + columns.lowerBound..<start + columns.upperBound))
            }
        }
    }

    private static let bandRows = 16
}
