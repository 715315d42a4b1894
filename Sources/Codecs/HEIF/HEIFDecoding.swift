internal import SpyglassPixels

/// Decodes a HEIC file through libheif, an AVIF file through libavif or libheif, whole; turning and cropping are ours.
///
/// libavif runs on one thread, in a third of the time and memory.
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
        (self.input, self.limits) = (input, limits)
    }

    var colors: ImageColors { .rgb }
    func profile() -> EmbeddedProfile { header.profile.map { .bytes($0) } ?? header.codePoints?.profile ?? .none }
    private var deepColors: CodePoints? {
        header.profile == nil && header.bits > 8 ? header.codePoints.flatMap { $0.isSRGB ? nil : $0 } : nil
    }
    func deepColors(_ spec: DecodeSpec) -> CodePoints? { deepColors }
    func exifSegment() -> [UInt8]? { header.exif }

    /// Whether libavif is installed and can decode the file.
    ///
    /// Before 1.1 it loses the alpha of a grid's tiles, and orders tiles by their numbers. It decodes or refuses other
    /// files with alpha; libheif 1.15 does not expand monochrome of limited range.
    private var suitsLibavif: Bool {
        guard info.format == .avif, let library = AVIFLibrary.system else { return false }
        return header.isSequence || library.readsGridsAndAlpha || header.tiles == 0
    }

    private func usesLibavif(_ spec: DecodeSpec) throws(CodecError) -> Bool {
        if header.isSequence, !suitsLibavif {
            throw WorkerLibrary.missing("libavif15", for: "an AVIF sequence needs")
        }
        guard info.format == .avif, !spec.usesLibheif else { return false }
        guard suitsLibavif else { throw .needsLibheif }
        return true
    }

    func workBytes(_ spec: DecodeSpec) -> Int { (try? usesLibavif(spec)) == true ? avifBytes : heifBytes }

    /// Measured: planes of the codec and of the library, and RGB; for a grid planes of the whole, and of four tiles.
    ///
    /// Planes of more than 8 bits are twice as large, except in HEVC, whose codec uses 16 for all. RGB of 16 bits is copied once.
    private var heifBytes: Int {
        let pixels = header.codedSize.pixelCount + header.sourcePixels
        let isGrid = header.tiles > 0
        let isWide = header.bits > 8 && (isGrid || info.format == .avif || header.isAV1)
        let bytes = ((isGrid ? 7 : 10) + (header.hasAlpha ? 3 : 0)) * pixels + (isGrid ? 40 * pixels / header.tiles : 0)
        let deepBytes = deepColors == nil ? 0 : 2 * (header.hasAlpha ? 4 : 3) * pixels
        return fileBytes + bytes * (isWide ? 2 : 1) + deepBytes
    }

    /// Measured: planes, and five eighths of a byte a pixel for the codec's state; for a grid also its tiles' planes.
    var avifBytes: Int {
        let halves = (header.samples + (header.hasAlpha ? 2 : 0)) * (header.bits > 8 ? 2 : 1)
        let eighths = 4 * halves + (header.hasAlpha ? 10 : 5)
        return fileBytes + header.codedSize.pixelCount / 8 * eighths * (header.tiles > 0 ? 2 : 1)
    }

    private var fileBytes: Int { min((try? input.byteCount()) ?? 0, max(limits.bodyBytes, 0)) }

    func start() throws(CodecError) -> RowLayout { header.hasAlpha ? .rgba : .rgb }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let usesLibavif = try usesLibavif(spec)
        // The spare byte shows that nothing was added.
        var file = try InputPrefix(capacity: input.byteCount() + 1, limits)
        try file.readAll(from: input)
        // States the size of a box that extends to the end of the file.
        if let at = header.openBoxAt { file.replace(at: at, with: [UInt8](file.count - at, bytes: 4)) }
        var hasRows = false
        let takeRow = { (row: Span<UInt8>) in
            hasRows = true
            take(row)
        }
        guard usesLibavif, let library = AVIFLibrary.system else {
            let image = try HEIFLibrary.system.get().decode(
                file, info.format, header.kind, maxSide: maxSide, hasAlpha: layout.hasAlpha, isDeep: deepColors != nil)
            try readRows(of: area, layout, image, takeRow)
            return RowsRead()
        }
        do throws(CodecError) {
            let image = try library.decode(file, maxPixels: maxPixels, isSequence: header.isSequence)
            try readRows(of: area, layout, image, takeRow)
        } catch {
            let isRefused = !hasRows && [.corrupt, .unsupported].contains(error.kind)
            throw isRefused && !header.isSequence ? .needsLibheif : error
        }
        return RowsRead()
    }

    /// Codecs pad to blocks, and grids to tiles.
    private var maxSide: Int { min(header.maxSide, limits.side) + Self.padding }
    private var maxPixels: Int { (header.codedSize.width + Self.padding) * (header.codedSize.height + Self.padding) }
    private static let padding = 1024

    private func check(_ width: Int, _ height: Int) throws(CodecError) {
        guard width >= header.area.endX, height >= header.area.endY else {
            throw .corrupt(info.format, "an image of another size than stated")
        }
    }

    private func readRows(
        of area: PixelArea, _ layout: RowLayout, _ image: borrowing HEIFImage, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) {
        try check(image.width, image.height)
        try input.checkCancelled()
        let (isDeep, pixelBytes) = (deepColors != nil, layout.channels * (image.bits > 8 ? 2 : 1))
        let columns = header.area.x * pixelBytes..<header.area.endX * pixelBytes
        var straight: [UInt8] = []
        for y in header.area.y + area.y..<header.area.y + area.endY {
            image.withRow(y) { row in
                let row = row.extracting(columns)
                if isDeep {
                    return take(
                        layout.deepened(row, bits: image.bits, isPremultiplied: image.isPremultiplied).span)
                }
                guard image.isPremultiplied else { return take(row) }
                straight = row.withUnsafeBufferPointer { Array($0) }
                straight.withUnsafeMutableBytes {
                    $0.makeStraight(pixels: header.area.size.width, channels: layout.channels)
                }
                take(straight.span)
            }
        }
    }

    private func readRows(
        of area: PixelArea, _ layout: RowLayout, _ image: borrowing AVIFImage, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) {
        try check(image.width, image.height)
        let isDeep = deepColors != nil
        let pixelBytes = layout.channels * (isDeep ? 2 : 1)
        let rowBytes = image.width * pixelBytes
        var band = [UInt8](repeating: 0, count: Self.bandRows * rowBytes)
        let rows = header.area.y + area.y..<header.area.y + area.endY
        let columns = header.area.x * pixelBytes..<header.area.endX * pixelBytes
        // Rows of subsampled chroma belong to two.
        for top in stride(from: rows.lowerBound & ~1, to: rows.upperBound, by: Self.bandRows) {
            try input.checkCancelled()
            let end = min(top + Self.bandRows, rows.upperBound)
            guard
                image.convert(
                    from: top, hasAlpha: layout.hasAlpha, isDeep: isDeep, count: end - top, to: &band)
            else {
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
