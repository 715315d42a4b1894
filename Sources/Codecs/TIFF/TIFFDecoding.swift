internal import SpyglassCTIFF
internal import SpyglassPixels

/// Decodes an image of a TIFF through libtiff: by rows, tiles, or strips that the library converts.
struct TIFFDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    let input: ByteReader
    let limits: ImageLimits
    private let header: TIFFHeader

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        header = try TIFFHeader(input, limits)
        info = ImageInfo(
            format: .tiff, storedSize: header.size, orientation: header.orientation, hasAlpha: header.hasAlpha,
            colorDescription: header.colorDescription)
        (self.input, self.limits) = (input, limits)
    }

    var colors: ImageColors { header.isGray ? .gray : .rgb }
    func profile() -> EmbeddedProfile { EmbeddedProfile(at: header.profile, in: input) }
    func exifSegment() -> [UInt8]? { header.exif }
    /// A strip may hold the whole image.
    func workBytes(_ spec: DecodeSpec) -> Int { header.partBytes }

    func start() throws(CodecError) -> RowLayout {
        TIFFPixels(try opened(), hasAlpha: header.hasAlphaSample)?.layout ?? .rgba
    }

    private func opened() throws(CodecError) -> TIFFReader {
        let reader = try TIFFReader(input, limits, header)
        let stated = info.storedSize
        guard Int(reader.layout.width) == stated.width, Int(reader.layout.height) == stated.height else {
            throw .corrupt(.tiff, "two sizes")
        }
        guard reader.layout.is_tiled else { return reader }
        let maxTile = max(stated.pixelCount, 1 << 20)
        let tilePixels = UInt64(reader.layout.tile_width) * UInt64(reader.layout.tile_height)
        guard tilePixels > 0, tilePixels <= 4 * UInt64(maxTile), reader.layout.tile_size <= 32 * maxTile else {
            throw .corrupt(.tiff, "tiles larger than the image")
        }
        return reader
    }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let reader = try opened()
        let rows =
            if let pixels = TIFFPixels(reader, hasAlpha: header.hasAlphaSample), pixels.layout == layout {
                try read(reader, area, pixels, take)
            } else { try convert(reader, area, take) }
        try reader.checkSource()
        let message = reader.errorCount > 0 ? reader.message : "the image data ends early"
        guard rows > 0 else {
            if Self.missingCodec.contains(where: message.hasSuffix) {
                let name = Self.compressions[header.compression].map { " (\($0))" } ?? ""
                throw .unsupported(.tiff, "compression \(header.compression)\(name)")
            }
            throw message.hasPrefix(Self.refusal) ? .unsupported(.tiff, message) : .corrupt(.tiff, message)
        }
        if rows < area.endY {
            return RowsRead(
                completeness: .truncated(rows: rows, of: info.storedSize.height), warnings: reader.errorCount,
                firstWarning: message)
        }
        let damage: String? =
            if header.isStandIn {
                "the image of full size is missing"
            } else if header.isPalette, reader.layout.photometric == 1 {
                // The library makes such an image grey.
                "the palette is missing"
            } else { reader.errorCount > 0 ? message : nil }
        return RowsRead(
            completeness: damage == nil ? .complete : .degraded, warnings: reader.errorCount, firstWarning: damage)
    }

    /// The ends of the library's messages where it cannot decode a compression, or was built without it (tif_codec.c).
    private static let missingCodec = ["decoding is not implemented", "support is not configured"]
    private static let compressions = [
        6: "old JPEG", 9: "JBIG", 10: "JBIG", 34661: "JBIG", 33003: "JPEG 2000", 33005: "JPEG 2000", 34712: "JPEG 2000",
        34887: "LERC", 34892: "lossy JPEG", 34925: "LZMA", 34934: "JPEG XR", 50000: "Zstandard", 50001: "WebP",
        50002: "JPEG XL", 52546: "JPEG XL",
    ]

    /// The library's message for an image that it could convert by its header, but not by its data (tif_getimage.c).
    private static let refusal = "Sorry, can not handle image"

    /// Returns the number of rows from the first on that could be read.
    private func read(
        _ reader: borrowing TIFFReader, _ area: PixelArea, _ pixels: TIFFPixels, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> Int {
        let inParts = reader.layout.is_tiled || pixels.isPlanar
        if pixels.range != nil {
            let reader = try opened()
            let all = PixelArea(of: info.storedSize)
            var pixels = pixels
            pixels.isMeasuring = true
            _ = try inParts ? readParts(reader, all, pixels) { _ in } : readRows(reader, all, pixels) { _ in }
        }
        let width = info.storedSize.width
        let isCMYK = pixels.channels > pixels.layout.channels
        var rgb = [UInt8](repeating: 0, count: isCMYK || pixels.isLab ? width * pixels.layout.channels : 0)
        let takeRow = { (row: Span<UInt8>) in
            switch (isCMYK, pixels.isLab) {
            case (true, _): pixels.convertInks(row, count: width, to: &rgb)
            case (_, true): pixels.convertLab(row, count: width, to: &rgb)
            default: return take(row)
            }
            take(rgb.span)
        }
        return try inParts ? readParts(reader, area, pixels, takeRow) : readRows(reader, area, pixels, takeRow)
    }

    private func readRows(
        _ reader: borrowing TIFFReader, _ area: PixelArea, _ pixels: TIFFPixels, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> Int {
        let width = info.storedSize.width
        guard reader.layout.row_size >= pixels.storedBytes(width), reader.layout.row_size <= 64 * width + 64 else {
            throw .corrupt(.tiff, "rows of another size than stated")
        }
        var stored = [UInt8](repeating: 0, count: reader.layout.row_size)
        var row = [UInt8](repeating: 0, count: width * pixels.channels)
        for y in 0..<area.endY {
            if y % 16 == 0 { try input.checkCancelled() }
            let isRead = stored.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { sg_tiff_read_row(reader.handle, $0, UInt32(y)) } ?? false
            }
            guard isRead else { return y }
            guard y >= area.y else { continue }
            stored.withUnsafeBytes { pixels.convert($0, count: width, to: &row, at: 0) }
            take(row.span)
        }
        return area.endY
    }

    /// Reads tiles, or strips of separate samples.
    private func readParts(
        _ reader: borrowing TIFFReader, _ area: PixelArea, _ pixels: TIFFPixels, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> Int {
        let size = info.storedSize
        let isTiled = reader.layout.is_tiled
        let (partWidth, partHeight) = try partSize(reader)
        let stride = pixels.storedBytes(partWidth)
        guard !isTiled || reader.layout.tile_size == stride * partHeight else {
            throw .corrupt(.tiff, "tiles of another size than stated")
        }
        guard isTiled || reader.layout.row_size == stride else {
            throw .corrupt(.tiff, "rows of another size than stated")
        }
        var part = [UInt8](repeating: 0, count: stride * partHeight)
        return try readParts(partWidth, partHeight, pixels.channels, area, take) { (left, top, columns, rows, band) in
            for plane in 0..<(pixels.isPlanar ? pixels.usedSamples : 1) {
                let isRead = part.withUnsafeMutableBytes { bytes in
                    bytes.baseAddress.map {
                        // A tile is whole; a strip has the rows that are left.
                        sg_tiff_read_part(
                            reader.handle, $0, isTiled ? bytes.count : rows * stride, UInt32(left), UInt32(top),
                            UInt16(plane))
                    } ?? false
                }
                guard isRead else { return false }
                for row in 0..<rows {
                    part.withUnsafeBytes {
                        let stored = UnsafeRawBufferPointer(rebasing: $0[row * stride..<(row + 1) * stride])
                        pixels.convert(stored, plane: plane, count: columns, to: &band, at: row * size.width + left)
                    }
                }
            }
            return true
        }
    }

    /// Returns the size of a tile, or of a strip.
    private func partSize(_ reader: borrowing TIFFReader) throws(CodecError) -> (width: Int, height: Int) {
        let (size, layout) = (info.storedSize, reader.layout)
        if layout.is_tiled { return (Int(layout.tile_width), Int(layout.tile_height)) }
        guard layout.rows_per_strip > 0 else { throw .corrupt(.tiff, "strips without rows") }
        return (size.width, min(Int(layout.rows_per_strip), size.height))
    }

    /// Strips and tiles that the library converts to RGBA, the lowest row first.
    private func convert(
        _ reader: borrowing TIFFReader, _ area: PixelArea, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> Int {
        let size = info.storedSize
        var message = [CChar](repeating: 0, count: 1024)
        guard sg_tiff_can_convert(reader.handle, &message) else {
            throw .unsupported(.tiff, String(libraryMessage: message))
        }
        let isTiled = reader.layout.is_tiled
        let (partWidth, partHeight) = try partSize(reader)
        var part = [UInt32](repeating: 0, count: partWidth * partHeight)
        let channels = RowLayout.rgba.channels
        return try readParts(partWidth, partHeight, channels, area, take) { (left, top, columns, rows, band) in
            let isRead =
                isTiled
                ? sg_tiff_convert_tile(reader.handle, UInt32(left), UInt32(top), &part)
                : sg_tiff_convert_strip(reader.handle, UInt32(top), &part)
            guard isRead else { return false }
            // A tile is whole; a strip has the rows that are left.
            let partRows = isTiled ? partHeight : rows
            part.withUnsafeBytes { part in
                band.withUnsafeMutableBytes { band in
                    for row in 0..<rows {
                        let from = (partRows - 1 - row) * partWidth * channels
                        let start = (row * size.width + left) * channels
                        let output = UnsafeMutableRawBufferPointer(rebasing: band[start..<start + columns * channels])
                        output.copyMemory(from: UnsafeRawBufferPointer(rebasing: part[from..<from + output.count]))
                        if header.hasAlpha { output.makeStraight(pixels: columns, channels: channels) }
                    }
                }
            }
            return true
        }
    }

    /// Reads parts from the left to the right, gives the rows of each band of them, and returns how many there are.
    ///
    /// `read` puts `columns` and `rows` of the part at `left`, `top` into the band, and returns false if it cannot be read.
    private func readParts(
        _ width: Int, _ height: Int, _ channels: Int, _ area: PixelArea, _ take: (Span<UInt8>) -> Void,
        _ read: (_ left: Int, _ top: Int, _ columns: Int, _ rows: Int, _ band: inout [UInt8]) -> Bool
    ) throws(CodecError) -> Int {
        let size = info.storedSize
        let rowBytes = size.width * channels
        var band = [UInt8](repeating: 0, count: rowBytes * min(height, size.height))
        for top in stride(from: area.y / height * height, to: area.endY, by: height) {
            let rows = min(height, size.height - top)
            for left in stride(from: 0, to: size.width, by: width) {
                try input.checkCancelled()
                guard read(left, top, min(width, size.width - left), rows, &band) else { return top }
            }
            for row in max(area.y - top, 0)..<min(rows, area.endY - top) {
                take(band.span.extracting(row * rowBytes..<(row + 1) * rowBytes))
            }
        }
        return area.endY
    }
}
