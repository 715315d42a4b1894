internal import SpyglassCPNG
internal import SpyglassPixels

/// Decodes a PNG: header and rows.
struct PNGDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    private let reader: PNGReader
    let input: ByteReader
    let limits: ImageLimits
    private let header: sg_png_header
    private let isFrame: Bool

    /// `isFrame`: of an animation, whose canvas has eight bits a channel.
    init(_ input: ByteReader, _ limits: ImageLimits, isFrame: Bool = false) throws(CodecError) {
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
        (self.input, self.limits, self.header, self.isFrame) = (input, limits, header, isFrame)
    }

    var colors: ImageColors { header.color_type & PNGHeader.colorBit == 0 ? .gray : .rgb }
    var transfer: TransferCurve {
        codePoints != nil || header.has_color_space ? .sRGB : PNGHeader.transfer(gamma: header.gamma)
    }

    private var codePoints: CodePoints? {
        header.has_code_points
            ? CodePoints(primaries: Int(header.primaries), curve: Int(header.curve), isGray: colors == .gray) : nil
    }

    func profile() -> EmbeddedProfile { codePoints?.profile ?? reader.profile() }

    private var deepColors: CodePoints? {
        header.bit_depth > 8 && !isFrame ? codePoints.flatMap { $0.isSRGB ? nil : $0 } : nil
    }
    func deepColors(_ spec: DecodeSpec) -> CodePoints? { deepColors }
    private var sampleBytes: Int { deepColors == nil ? 1 : 2 }

    func exifSegment() -> [UInt8]? { reader.exifSegment() }

    /// An interlaced image is read whole; its size was checked, so this cannot overflow.
    func workBytes(_ spec: DecodeSpec) -> Int {
        let channels = (colors == .gray ? 1 : 3) + (info.hasAlpha ? 1 : 0)
        return header.is_interlaced ? info.storedSize.pixelCount * channels * sampleBytes : 0
    }

    func start() throws(CodecError) -> RowLayout { try reader.start(isDeep: deepColors != nil) }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let (height, rowBytes) = (info.storedSize.height, info.storedSize.width * layout.channels * sampleBytes)
        let (isInterlaced, passes) = (header.is_interlaced, header.is_interlaced ? Self.passCount : 1)
        // Enough rows to amortise calls, few enough for a core's cache.
        let bandRows = max(64 * 1024 / max(rowBytes, 1), 1)
        // Missing pixels of an interlaced image repeat those of coarser passes.
        var buffer = [UInt8](repeating: 0, count: (isInterlaced ? height : bandRows) * rowBytes)
        var (covered, isComplete, isBroken) = (0, false, false)
        for pass in 1...passes where !isBroken {
            let end = pass < passes ? height : area.endY
            var rows = 0
            while rows < end, !isBroken {
                try input.checkCancelled()
                var done: UInt32 = 0
                isBroken = !reader.readRows(
                    into: &buffer, at: isInterlaced ? rows : 0, stride: rowBytes, count: min(bandRows, end - rows),
                    done: &done)
                for row in min(max(area.y - rows, 0), Int(done))..<Int(done) where !isInterlaced {
                    take(buffer.span.extracting(row * rowBytes..<(row + 1) * rowBytes))
                }
                rows += Int(done)
            }
            if pass == 1 { covered = rows }
            isComplete = pass == passes && rows == end
        }
        guard covered > 0, !reader.isUnread else { throw reader.failure() }
        for row in area.y..<max(min(area.endY, covered), area.y) where isInterlaced {
            take(buffer.span.extracting(row * rowBytes..<(row + 1) * rowBytes))
        }
        // Complete rows are not affected by what follows them; other damage may have changed any.
        let completeness: DecodedImage.Completeness =
            if isComplete, !isBroken || reader.failedBeyondRows { .complete } else {
                covered < area.endY ? .truncated(rows: covered, of: height) : .degraded
            }
        return RowsRead(
            completeness: completeness, warnings: reader.warningCount,
            firstWarning: reader.firstWarning ?? (isBroken ? reader.message : nil))
    }

    /// Passes of an interlaced image (PNG specification, section 8.2).
    private static let passCount = 7
}
