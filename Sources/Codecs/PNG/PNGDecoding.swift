internal import SpyglassCPNG
internal import SpyglassPixels

/// Decodes a PNG: header and rows.
struct PNGDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    let reader: PNGReader
    let input: ByteReader
    let limits: ImageLimits
    private let header: sg_png_header

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let head = input.head
        let stated = try PNGHeader.size(head)
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

    var colors: ImageColors { header.color_type & PNGHeader.colorBit == 0 ? .gray : .rgb }
    var transfer: TransferCurve {
        codePoints != nil || header.has_color_space ? .sRGB : PNGHeader.transfer(gamma: header.gamma)
    }

    private var codePoints: CodePoints? {
        guard header.has_code_points else { return nil }
        return CodePoints(primaries: header.primaries, curve: header.curve, isGray: colors == .gray)
    }

    func profile() -> EmbeddedProfile { codePoints?.profile ?? reader.profile() }
    func exifSegment() -> [UInt8]? { reader.exifSegment() }

    /// Each reader has rows of eight bytes a pixel.
    func workBytes(_ spec: DecodeSpec) -> Int {
        header.is_interlaced ? spec.keptPassBytes + 256 * info.storedSize.width : 0
    }

    func start() throws(CodecError) -> RowLayout { try reader.start().layout }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let rowBytes = info.storedSize.width * layout.channels
        return header.is_interlaced
            ? try readPasses(layout, rowBytes, area, keeping: spec.keptPassBytes, take)
            : try readRows(rowBytes, area, take)
    }

    private func readRows(
        _ rowBytes: Int, _ area: PixelArea, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let height = area.endY
        let bandRows = Self.rows(of: rowBytes)
        var band = [UInt8](repeating: 0, count: bandRows * rowBytes)
        var rows = 0
        var isBroken = false
        while rows < height, !isBroken {
            try input.checkCancelled()
            var done: UInt32 = 0
            isBroken = !reader.readRows(into: &band, stride: rowBytes, count: min(bandRows, height - rows), done: &done)
            for row in min(max(area.y - rows, 0), Int(done))..<Int(done) {
                take(band.span.extracting(row * rowBytes..<(row + 1) * rowBytes))
            }
            rows += Int(done)
        }
        guard rows > 0, !reader.isUnread else { throw reader.failure() }
        return rowsRead(rows, of: height, isComplete: rows == height, isBroken: isBroken)
    }

    /// Rows decoded at a time: enough to amortise calls, few enough for a core's cache.
    private static func rows(of rowBytes: Int) -> Int { max(64 * 1024 / max(rowBytes, 1), 1) }

    /// Complete rows are not affected by what follows them; other damage may have changed any.
    func rowsRead(_ rows: Int, of wanted: Int, isComplete: Bool, isBroken: Bool) -> RowsRead {
        let completeness: DecodedImage.Completeness =
            if isComplete, !isBroken || reader.failedBeyondRows { .complete } else {
                rows < wanted ? .truncated(rows: rows, of: info.storedSize.height) : .degraded
            }
        return RowsRead(
            completeness: completeness, warnings: reader.warningCount,
            firstWarning: reader.firstWarning ?? (isBroken ? reader.message : nil))
    }
}
