internal import SpyglassCPNG
internal import SpyglassPixels

/// Decodes a PNG: header, rows into the resampler.
struct PNGDecoding: ~Copyable {
    let info: ImageInfo
    let reader: PNGReader
    let input: ByteReader
    let limits: ImageLimits
    private let header: sg_png_header

    var metadata: ImageMetadata { reader.metadata(info) }

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let head = input.head
        let stated = try PNGHeader.size(head.span)
        if let stated { try limits.check(stated) }
        if head.count > PNGHeader.interlacePlace, head[PNGHeader.interlacePlace] != 0 { input.allowReadingAgain() }
        let reader = try PNGReader(input, limits)
        let header = try reader.readHeader()
        let size = try limits.size(header.width, header.height)
        info = ImageInfo(
            format: .png, storedSize: size, orientation: reader.orientation() ?? .up,
            isProgressive: header.is_interlaced,
            hasAlpha: header.has_transparency || header.color_type & PNGHeader.alphaBit != 0,
            colorDescription: PNGHeader.describe(header))
        self.reader = reader
        self.input = input
        self.limits = limits
        self.header = header
    }

    func decode(_ spec: DecodeSpec) throws(CodecError) -> DecodedImage {
        let sizes = try spec.storedSizes(of: info, limits)
        let colors: ImageColors = header.color_type & PNGHeader.colorBit == 0 ? .gray : .rgb
        let color = ColorTransforms.shared.conversion(of: reader.profile(), for: colors)
        let isPlain = color.transform == nil && info.orientation == .up
        // Each reader has rows of eight bytes a pixel.
        let passBytes = header.is_interlaced ? spec.keptPassBytes + 256 * info.storedSize.width : 0
        let share = try spec.reserve(
            sizes, of: info.storedSize, copies: isPlain ? 1 : 2, and: passBytes, isCancelled: input.isCancelled)
        let (layout, rowBytes) = try reader.start()
        let area = spec.storedArea(of: info)
        let resamplers = sizes.map {
            RowResampler(
                spec.filter, from: info.storedSize, part: area, to: $0, layout: layout, transfer: transfer)
        }
        let rows =
            header.is_interlaced
            ? try readPasses(layout, rowBytes, area, resamplers, keeping: spec.keptPassBytes)
            : try readRows(layout, rowBytes, area, resamplers)
        return image(rows, color, exif: spec.readsMetadata ? reader.exif() : nil).holding(share)
    }

    private var transfer: TransferCurve { header.has_color_space ? .sRGB : PNGHeader.transfer(gamma: header.gamma) }

    struct RowsRead {
        let stored: [PixelBuffer]
        let rows: Int
        /// Rows to the end of the region.
        let wanted: Int
        let isComplete: Bool
        let isBroken: Bool
    }

    private func readRows(
        _ layout: RowLayout, _ rowBytes: Int, _ area: PixelArea, _ resamplers: [RowResampler]
    ) throws(CodecError) -> RowsRead {
        let height = area.endY
        let columns = area.x * layout.channels..<area.endX * layout.channels
        let bandRows = Self.rows(of: rowBytes)
        var band = [UInt8](repeating: 0, count: bandRows * rowBytes)
        var rows = 0
        var isBroken = false
        while rows < height, !isBroken {
            try input.checkCancelled()
            var done: UInt32 = 0
            isBroken = !reader.readRows(into: &band, stride: rowBytes, count: min(bandRows, height - rows), done: &done)
            for row in min(max(area.y - rows, 0), Int(done))..<Int(done) {
                let start = row * rowBytes
                let pixels = band.span.extracting(start + columns.lowerBound..<start + columns.upperBound)
                for resampler in resamplers { resampler.add(pixels) }
            }
            rows += Int(done)
        }
        guard rows > 0, !reader.isUnread else { throw reader.failure() }
        return RowsRead(
            stored: resamplers.map { $0.finish() }, rows: rows, wanted: height, isComplete: rows == height,
            isBroken: isBroken)
    }

    /// Rows decoded at a time: enough to amortise calls, few enough for a core's cache.
    private static func rows(of rowBytes: Int) -> Int { max(64 * 1024 / max(rowBytes, 1), 1) }

    /// Complete rows are not affected by what follows them; other damage may have changed any.
    private func image(_ read: RowsRead, _ color: ColorConversion, exif: [UInt8]?) -> DecodedImage {
        let height = info.storedSize.height
        let completeness: DecodedImage.Completeness =
            if read.isComplete, !read.isBroken || reader.failedBeyondRows { .complete } else {
                read.rows < read.wanted ? .truncated(rows: read.rows, of: height) : .degraded
            }
        return DecodedImage(
            buffers: OutputTransform(info: info, color: color).images(read.stored), info: info,
            completeness: completeness, warnings: reader.warningCount,
            firstWarning: reader.firstWarning ?? (read.isBroken ? reader.message : nil), colorWarning: color.warning,
            exif: exif)
    }
}
