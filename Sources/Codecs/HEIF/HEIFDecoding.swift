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
            return .failure(LibraryFamily.missing("libheif1", for: "HEIC and AVIF need"))
        }
        return .success(HEIFLibrary(functions: functions))
    }

    /// `heif_get_version`, such as 1.15.1.
    var version: String { String(libraryMessage: sg_heif_version(functions)) }
}

/// Decodes the primary image of a HEIC or AVIF file through libheif, whole; turning and cropping are ours.
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

    /// Measured: planes of the codec and of the library, then RGB.
    func workBytes(_ spec: DecodeSpec) -> Int { 10 * header.codedSize.pixelCount }

    func start() throws(CodecError) -> RowLayout {
        _ = try HEIFLibrary.system.get()
        return header.hasAlpha ? .rgba : .rgb
    }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let library = try HEIFLibrary.system.get()
        var file = try InputPrefix(limits)
        try file.readAll(from: input)
        var message = [CChar](repeating: 0, count: 256)
        // Codecs pad to blocks, and grids to tiles.
        let maxSide = max(header.codedSize.width, header.codedSize.height) + 1024
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
}
