internal import SpyglassCJPEG
internal import SpyglassPixels
internal import SpyglassThreads

/// Turns a JPEG's rows into images, as often as the reader outputs them.
struct JPEGOutput {
    private let header: JPEGHeader
    private let spec: DecodeSpec
    private let sizes: [PixelSize]
    private let limits: ImageLimits
    private let area: PixelArea
    private var scale: DCTScale
    private var rows = sg_jpeg_output()
    private var color = ColorConversion.none
    private var knowsColor = false

    /// Bytes of rows decoded at a time: enough to amortise calls, few enough for a core's cache.
    private static let bandBytes = 128 * 1024
    /// The distance of each row from a multiple of `rowAlignment` bytes.
    ///
    /// libjpeg-turbo writes aligned rows around the caches (`movntdq` in jdcolext-sse2.asm), and the resampler would wait for memory.
    private static let rowOffset = 8
    private static let rowAlignment = 16

    init(_ header: JPEGHeader, _ spec: DecodeSpec, _ limits: ImageLimits) throws(CodecError) {
        self.header = header
        self.spec = spec
        self.limits = limits
        sizes = try header.checkedSizes(for: spec, limits)
        area = spec.storedArea(of: header.info)
        scale = spec.isExact ? .full : Self.scale(header, area, sizes, spec, leaving: spec.minLeft)
        try spec.checkedBytes(
            sizes, of: header.info.storedSize, copies: 2, work: header.coefficientBytes, within: limits)
    }

    private mutating func chooseColor(_ reader: borrowing JPEGReader) {
        guard !knowsColor else { return }
        knowsColor = true
        color = ColorTransforms.shared.conversion(of: reader.profile(), for: header.colors)
        let convertsCMYK = header.colors.space == .cmyk && color.transform != nil
        if convertsCMYK, !spec.isExact {
            scale = Self.scale(header, area, sizes, spec, leaving: DCTScale.minLeftForCMYK)
        }
    }

    /// A part has the scale of the whole image at that zoom.
    private static func scale(
        _ header: JPEGHeader, _ area: PixelArea, _ sizes: [PixelSize], _ spec: DecodeSpec, leaving left: Double?
    ) -> DCTScale {
        let stored = header.info.storedSize
        let targets = sizes.map { $0.scaled(from: area.size, to: stored) }
        return DCTScale.fitting(stored, to: targets, spec.filter, leaving: left)
    }

    mutating func reserve(
        work: Int, for reader: borrowing JPEGReader
    ) throws(CodecError) -> WorkMemory.Share? {
        chooseColor(reader)
        return try spec.reserve(
            sizes, of: header.info.storedSize, copies: copies, work: work, within: limits)
    }

    /// Reserves a preview and the image together; `nil` if the budget has too little left.
    mutating func reserveIfFree(in memory: WorkMemory, for reader: borrowing JPEGReader) -> WorkMemory.Share? {
        chooseColor(reader)
        return memory.reserveIfFree(
            DecodeSpec.byteCount(sizes, of: header.info.storedSize, copies: 2 * copies) + header.coefficientBytes)
    }

    /// Images that exist together: colours and orientation make new ones.
    private var copies: Int { color.transform == nil && header.info.orientation == .up ? 1 : 2 }

    /// Starts the decoder; the scale is fixed from then on.
    mutating func prepare(_ reader: borrowing JPEGReader) throws(CodecError) -> JPEGReader.Progress {
        chooseColor(reader)
        return try reader.start(eighths: scale.eighths, fancyUpsampling: scale.fancyUpsampling, &rows)
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
        let finish = OutputTransform(info: info, color: isCMYK ? .none : color)
        return DecodedImage(
            buffers: finish.images(resamplers.map { $0.finish() }), info: info,
            completeness: completeness, warnings: reader.warningCount, firstWarning: reader.firstWarning ?? end,
            colorWarning: color.warning, exif: spec.readsMetadata ? reader.exif() : nil)
    }

    /// The region of the decoder's rows that is read.
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
