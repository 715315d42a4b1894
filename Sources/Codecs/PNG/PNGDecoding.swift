internal import SpyglassCPNG
internal import SpyglassPixels

/// Decodes a PNG: header and rows.
struct PNGDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    private let reader: PNGReader
    let input: ByteReader
    let limits: ImageLimits
    private let header: sg_png_header

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        if let stated = try PNGHeader.size(input.head) { try limits.check(stated) }
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

    /// An interlaced image is read whole; its size was checked, so this cannot overflow.
    func workBytes(_ spec: DecodeSpec) -> Int {
        let channels = (colors == .gray ? 1 : 3) + (info.hasAlpha ? 1 : 0)
        return header.is_interlaced ? info.storedSize.pixelCount * channels : 0
    }

    func start() throws(CodecError) -> RowLayout { try reader.start().layout }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let rowBytes = info.storedSize.width * layout.channels
        return header.is_interlaced
            ? try readPasses(rowBytes, area, take) : try readRows(rowBytes, area, take)
    }

    /// Reads an interlaced image into one buffer.
    ///
    /// Missing pixels repeat those of coarser passes.
    private func readPasses(
        _ rowBytes: Int, _ area: PixelArea, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let height = info.storedSize.height
        var image = [UInt8](repeating: 0, count: height * rowBytes)
        var coveredRows = 0
        var isComplete = false
        var isBroken = false
        for pass in 1...Self.passCount where !isBroken {
            let end = pass < Self.passCount ? height : area.endY
            var rows = 0
            while rows < end, !isBroken {
                try input.checkCancelled()
                let count = min(Self.rows(of: rowBytes), end - rows)
                var done: UInt32 = 0
                isBroken = !reader.readRows(into: &image, at: rows, stride: rowBytes, count: count, done: &done)
                rows += Int(done)
            }
            if pass == 1 { coveredRows = rows }
            isComplete = pass == Self.passCount && rows == end
        }
        guard coveredRows > 0, !reader.isUnread else { throw reader.failure() }
        for row in area.y..<max(min(area.endY, coveredRows), area.y) {
            take(image.span.extracting(row * rowBytes..<(row + 1) * rowBytes))
        }
        return rowsRead(coveredRows, of: area.endY, isComplete: isComplete, isBroken: isBroken)
    }

    /// Passes of an interlaced image (PNG specification, section 8.2).
    private static let passCount = 7

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
    private func rowsRead(_ rows: Int, of wanted: Int, isComplete: Bool, isBroken: Bool) -> RowsRead {
        let completeness: DecodedImage.Completeness =
            if isComplete, !isBroken || reader.failedBeyondRows { .complete } else {
                rows < wanted ? .truncated(rows: rows, of: info.storedSize.height) : .degraded
            }
        return RowsRead(
            completeness: completeness, warnings: reader.warningCount,
            firstWarning: reader.firstWarning ?? (isBroken ? reader.message : nil))
    }
}
