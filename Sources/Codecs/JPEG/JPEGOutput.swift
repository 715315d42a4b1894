internal import SpyglassCJPEG
internal import SpyglassPixels
internal import SpyglassThreads

/// Turns a JPEG's rows into images, as often as the reader outputs them.
struct JPEGOutput {
    private let header: JPEGHeader
    private let spec: DecodeSpec
    private let limits: ImageLimits
    private let sizes: [PixelSize]
    private let area: PixelArea
    private let color: ColorConversion
    private let scale: DCTScale
    private var rows = sg_jpeg_output()

    /// Bytes of rows decoded at a time: enough to amortise calls, few enough for a core's cache.
    private static let bandBytes = 128 * 1024
    /// The distance of each row from a multiple of `rowAlignment` bytes: libjpeg-turbo writes aligned rows around the caches
    /// (`movntdq` in jdcolext-sse2.asm), and the resampler would wait for memory.
    private static let rowOffset = 8
    private static let rowAlignment = 16

    init(
        _ header: JPEGHeader, _ spec: DecodeSpec, _ limits: ImageLimits, from reader: borrowing JPEGReader
    ) throws(CodecError) {
        let (stored, area) = (header.info.storedSize, spec.storedArea(of: header.info))
        (self.header, self.spec, self.limits, self.area) = (header, spec, limits, area)
        sizes = try header.checkedSizes(for: spec, limits)
        try spec.checkedBytes(sizes, of: stored, copies: 2, work: header.coefficientBytes, within: limits)
        color = spec.conversion(of: reader.profile(), for: header.colors)
        let convertsCMYK = header.colors.space == .cmyk && color.transform != nil
        // A part has the scale of the whole image at that zoom.
        let fitting = DCTScale.fitting(
            stored, to: sizes.map { $0.scaled(from: area.size, to: stored) }, spec.filter,
            leaving: convertsCMYK ? DCTScale.minLeftForCMYK : nil)
        scale = spec.isExact ? .full : fitting
    }

    func reserve(work: Int) throws(CodecError) -> WorkMemory.Share? {
        try spec.reserve(sizes, of: header.info.storedSize, copies: copies, work: work, within: limits)
    }

    /// Reserves a preview and the image together; `nil` if the budget has too little left.
    func reserveIfFree(in memory: WorkMemory) -> WorkMemory.Share? {
        memory.reserveIfFree(
            DecodeSpec.byteCount(sizes, of: header.info.storedSize, copies: 2 * copies, spec.filter)
                + header.coefficientBytes)
    }

    /// Images that exist together: colours and orientation make new ones.
    private var copies: Int { color.transform == nil && header.info.orientation == .up ? 1 : 2 }

    /// Starts the decoder; the scale is fixed from then on.
    mutating func prepare(_ reader: borrowing JPEGReader) throws(CodecError) -> JPEGReader.Progress {
        try reader.start(eighths: scale.eighths, fancyUpsampling: scale.fancyUpsampling, &rows)
    }

    var height: Int { Int(rows.height) }

    /// Returns the number of rows that the first scan reached.
    func start(_ reader: borrowing JPEGReader) throws(CodecError) -> Int {
        var realRows = rows.height
        guard try reader.startOutput(&realRows) == .done else { throw Self.endsTooEarly }
        return Int(realRows)
    }

    static let endsTooEarly = CodecError.corrupt(.jpeg, "the file ends before its image")

    /// `afterBand` is called after every few rows, and feeds the reader if it needs input.
    func image(
        from reader: borrowing JPEGReader, realRows: Int, afterBand: (JPEGReader.Progress) throws(CodecError) -> Void
    ) throws(CodecError) -> DecodedImage {
        let info = header.info
        let step = DCTScale.full.eighths / scale.eighths
        let part = try part(of: reader, step: step)
        let isCMYK = header.fields.color == SG_JPEG_COLOR_CMYK
        let layout: RowLayout = header.fields.color == SG_JPEG_COLOR_GRAY ? .gray : .rgb
        let resamplers = sizes.map {
            RowResampler(spec.filter, from: info.storedSize, part: area, to: $0, layout: layout, step: step)
        }
        let alignment = Self.rowAlignment
        let stride = (part.rowWidth * Int(rows.channels) + alignment - 1) / alignment * alignment
        let columns = part.columns.lowerBound * Int(rows.channels)..<part.columns.upperBound * Int(rows.channels)
        let bandRows = min(max(Self.bandBytes / stride, 1), JPEGReader.maxRows)
        var band = [UInt8](repeating: 0, count: Self.rowOffset + bandRows * stride)
        var colors = [UInt8](repeating: 0, count: isCMYK ? part.columns.count * CMYK.bytesOut : 0)
        var rowsRead = 0
        var failure: CodecError?
        while rowsRead < min(realRows, part.rows.upperBound) {
            var done: UInt32 = 0
            let isSkipping = rowsRead < part.rowsSkipped
            let end = isSkipping ? part.rowsSkipped : part.rows.upperBound
            let count = min(bandRows, min(realRows, end) - rowsRead)
            var progress = JPEGReader.Progress.cut
            do throws(CodecError) {
                progress = try reader.readRows(
                    into: &band, from: Self.rowOffset, stride: stride, count: count, skipping: isSkipping, done: &done)
            } catch {
                guard error.kind == .corrupt else { throw error }
                failure = error
            }
            let before = min(max(part.rows.lowerBound - rowsRead, 0), Int(done))
            for row in before..<Int(done) {
                let start = Self.rowOffset + row * stride
                let pixels = band.span.extracting(start + columns.lowerBound..<start + columns.upperBound)
                if isCMYK {
                    convert(cmyk: pixels, pixels: part.columns.count, into: &colors)
                    for resampler in resamplers { resampler.add(colors.span) }
                } else {
                    for resampler in resamplers { resampler.add(pixels) }
                }
            }
            rowsRead += Int(done)
            if progress == .cut { break }
            try afterBand(progress)
        }
        guard rowsRead > 0 else {
            if let failure { throw failure }
            let detail = reader.firstWarning.map { " (\($0))" } ?? ""
            throw .corrupt(.jpeg, "no readable row\(detail)")
        }
        let completeness: DecodedImage.Completeness =
            if rowsRead < part.rows.upperBound {
                .truncated(rows: rowsRead * step, of: info.storedSize.height)
            } else { reader.hasGaps ? .degraded : .complete }
        let end = completeness == .complete ? nil : failure?.description ?? "the file ends early"
        let conversion = isCMYK ? .none : color
        return DecodedImage(
            buffers: resamplers.map { conversion.finished($0.finish(), of: info) }, info: info,
            completeness: completeness, warnings: reader.warningCount, firstWarning: reader.firstWarning ?? end,
            colorWarning: color.warning, exif: spec.readsMetadata ? reader.exif() : nil,
            profile: color.kept)
    }

    private struct Part {
        var rowWidth: Int
        var rowsSkipped = 0
        let columns: Range<Int>
        let rows: Range<Int>
    }

    private func part(of reader: borrowing JPEGReader, step: Int) throws(CodecError) -> Part {
        let rows = area.y / step..<(area.endY + step - 1) / step
        let columns = area.x / step..<(area.endX + step - 1) / step
        guard area.size != header.info.storedSize else {
            return Part(rowWidth: Int(self.rows.width), columns: columns, rows: rows)
        }
        var read = sg_jpeg_part(
            column: UInt32(columns.lowerBound), columns: UInt32(columns.count), row: UInt32(rows.lowerBound))
        try reader.crop(&read)
        let first = columns.lowerBound - Int(read.column)
        return Part(
            rowWidth: Int(read.columns), rowsSkipped: Int(read.row), columns: first..<first + columns.count, rows: rows)
    }

    /// CMYK is converted row by row, before resampling: by the profile, or by a rule of thumb.
    private func convert(cmyk: Span<UInt8>, pixels: Int, into rgb: inout [UInt8]) {
        if let transform = color.transform {
            transform.convert(cmyk, pixels: pixels, into: &rgb)
        } else {
            CMYK.convert(cmyk, isInverted: header.fields.has_adobe_marker, pixels: pixels, into: &rgb)
        }
    }
}

/// The size of a JPEG after the inverse DCT, in eighths: almost free, but averages gamma-encoded values, which darkens stars.
struct DCTScale: Equatable {
    /// 8, 4, 2 or 1.
    let eighths: Int
    let fancyUpsampling: Bool

    static let full = DCTScale(eighths: 8, fancyUpsampling: true)

    /// The minimum ratio left to the resampler: from 8 on, the PSNR is 53 dB; below, 39 dB and less.
    private static let minLeft = 8.0
    /// For thumbnails: at 24 columns the worst error of 86 photographs is 30 dB below full range with 8, 40 dB with 16.
    private static let minLeftForThumbnails = 16.0
    /// The minimum after 1/2 for Lanczos: SSIM to the full decode is 0.994 (18 photographs, table in `Benchmarks/METHODOLOGY.md`).
    private static let minLeftForLanczos = 1.9
    /// The minimum after 1/4 and 1/8 for Lanczos: SSIM is 0.993 and 0.997; with 1.9 it is 0.990 and 0.988, 0.91 in the worst case.
    private static let minLeftForLanczosInLargeBlocks = 2.9
    private static let thumbnailSide = 48
    /// From this ratio on interpolated chroma is not worth its cost.
    private static let minLeftForPlainChroma = 2.0

    /// For CMYK with a profile, at 0.25 µs a decoded pixel: 12 megapixels at 320 columns take 0.4 s, and 3.3 s with 8.
    static let minLeftForCMYK = 2.0

    static func fitting(
        _ source: PixelSize, to targets: [PixelSize], _ filter: ResampleFilter, leaving left: Double? = nil
    ) -> DCTScale {
        let scales = targets.map { fitting(source, to: $0, filter, leaving: left) }
        return DCTScale(
            eighths: scales.map(\.eighths).max() ?? 1, fancyUpsampling: scales.contains { $0.fancyUpsampling })
    }

    /// Returns the cheapest scale that suits a target, or leaves the chosen ratio.
    static func fitting(
        _ source: PixelSize, to target: PixelSize, _ filter: ResampleFilter = .area, leaving chosen: Double? = nil
    ) -> DCTScale {
        let ratio = min(Double(source.width) / Double(target.width), Double(source.height) / Double(target.height))
        let isThumbnail = max(target.width, target.height) <= thumbnailSide
        let eighths =
            [1, 2, 4].first { eighths in
                let minLeft =
                    switch filter {
                    case .area: isThumbnail ? minLeftForThumbnails : Self.minLeft
                    case .lanczos: eighths == 4 ? minLeftForLanczos : minLeftForLanczosInLargeBlocks
                    }
                return ratio * Double(eighths) / 8 >= chosen ?? minLeft
            } ?? 8
        return DCTScale(eighths: eighths, fancyUpsampling: ratio * Double(eighths) / 8 < minLeftForPlainChroma)
    }
}

/// Converts CMYK to RGB without a profile: each ink absorbs its share of the light that black leaves.
enum CMYK {
    static let bytesIn = 4
    static let bytesOut = 3

    static func convert(_ cmyk: Span<UInt8>, isInverted: Bool, pixels: Int, into rgb: inout [UInt8]) {
        precondition(cmyk.count >= pixels * bytesIn && rgb.count >= pixels * bytesOut)
        let flip: UInt8 = isInverted ? 0 : 255
        var output = rgb.mutableSpan
        for pixel in 0..<pixels {
            let from = pixel * bytesIn
            let to = pixel * bytesOut
            let black = UInt32(cmyk[from + 3] ^ flip)
            output[to] = product(UInt32(cmyk[from] ^ flip), black)
            output[to + 1] = product(UInt32(cmyk[from + 1] ^ flip), black)
            output[to + 2] = product(UInt32(cmyk[from + 2] ^ flip), black)
        }
    }

    /// Returns `a * b / 255`, rounded.
    @inline(always)
    private static func product(_ a: UInt32, _ b: UInt32) -> UInt8 {
        let scaled = a &* b &+ 128
        return UInt8(truncatingIfNeeded: (scaled &+ scaled >> 8) >> 8)
    }
}
