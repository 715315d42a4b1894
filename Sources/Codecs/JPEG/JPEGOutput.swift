internal import SpyglassCJPEG
internal import SpyglassPixels

/// How a JPEG's rows become the pictures that are wanted, as often as they are given out.
struct JPEGOutput {
    private let header: JPEGHeader
    private let wish: DecodeSpec
    private let wanted: [PixelSize]
    private var scale: DCTScale
    private var rows = sg_jpeg_output()
    /// What becomes of the colours, as the profile says; known when the decoder is started.
    private var color = ColorConversion.none
    private var knowsColor = false

    /// Bytes of rows that are decoded before they are averaged: enough that calls cost nothing, few enough for a core's cache.
    private static let bandBytes = 128 * 1024

    /// An output for sizes that are within the limits, at the DCT scale that fits them all.
    init(_ header: JPEGHeader, _ wish: DecodeSpec, _ limits: ImageLimits) throws(CodecError) {
        self.header = header
        self.wish = wish
        wanted = try header.checkedSizes(for: wish, limits)
        scale =
            wish.isExact
            ? .full
            : DCTScale.fitting(header.info.storedSize, to: wanted, wish.filter, leaving: wish.minLeft)
    }

    /// Starts the decoder, once; the scale cannot be changed after that.
    mutating func prepare(_ reader: borrowing JPEGReader) throws(CodecError) -> JPEGReader.Progress {
        if !knowsColor {
            knowsColor = true
            color = ColorTransforms.shared.conversion(of: reader.profile(), for: header.colors)
            let convertsInks = header.colors.space == .cmyk && color.transform != nil
            if convertsInks, !wish.isExact {
                scale = DCTScale.fitting(
                    header.info.storedSize, to: wanted, wish.filter, leaving: DCTScale.minLeftForCMYK)
            }
        }
        return try reader.start(eighths: scale.eighths, fancyUpsampling: scale.fancyUpsampling, &rows)
    }

    /// The rows that a file of one scan gives out.
    var height: Int { Int(rows.height) }

    /// Starts to give out what scans of a file of several have brought; the number of rows that the first one reached.
    func start(_ reader: borrowing JPEGReader) throws(CodecError) -> Int {
        var realRows = rows.height
        guard try reader.startOutput(&realRows) == .done else { throw Self.endsTooEarly }
        return Int(realRows)
    }

    static let endsTooEarly = CodecError.corrupt(.jpeg, "the file ends before its picture")

    /// Brings the first `realRows` rows into the resamplers; what the data does not reach is not made up.
    ///
    /// `afterBand` is told of every few rows, and feeds the reader where it needs input.
    func pictures(
        from reader: borrowing JPEGReader, realRows: Int,
        afterBand: (JPEGReader.Progress) throws(CodecError) -> Void
    ) throws(CodecError) -> DecodedImage {
        let info = header.info
        let size = PixelSize(width: Int(rows.width), height: Int(rows.height))
        let isCMYK = header.fields.color == SG_JPEG_COLOR_CMYK
        let layout: RowLayout = header.fields.color == SG_JPEG_COLOR_GRAY ? .gray : .rgb
        let resamplers = wanted.map {
            RowResampler(
                wish.filter, from: info.storedSize, to: $0, layout: layout,
                step: DCTScale.full.eighths / scale.eighths)
        }
        let stride = size.width * Int(rows.channels)
        let bandRows = min(max(Self.bandBytes / stride, 1), JPEGReader.maxRows)
        var band = [UInt8](repeating: 0, count: bandRows * stride)
        var colors = [UInt8](repeating: 0, count: isCMYK ? size.width * CMYK.bytesOut : 0)
        var rowsRead = 0
        var failure: CodecError?
        while rowsRead < realRows {
            var done: UInt32 = 0
            let count = min(bandRows, realRows - rowsRead)
            var progress = JPEGReader.Progress.cut
            do throws(CodecError) {
                progress = try reader.readRows(into: &band, stride: stride, count: count, done: &done)
            } catch {
                guard error.kind == .corrupt else { throw error }
                failure = error
            }
            for row in 0..<Int(done) {
                let pixels = band.span.extracting(row * stride..<(row + 1) * stride)
                if isCMYK {
                    convert(cmyk: pixels, pixels: size.width, into: &colors)
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
            throw .corrupt(.jpeg, "it holds no row of its picture\(detail)")
        }
        let completeness: DecodedImage.Completeness =
            if rowsRead < size.height {
                .truncated(rows: rowsRead * DCTScale.full.eighths / scale.eighths, of: info.storedSize.height)
            } else {
                reader.hasGaps ? .degraded : .complete
            }
        let end = completeness == .complete ? nil : failure?.description ?? "the file ends early"
        let finish = OutputTransform(info: info, color: isCMYK ? .none : color)
        return DecodedImage(
            buffers: finish.pictures(resamplers.map { $0.finish() }), info: info,
            completeness: completeness, warnings: reader.warningCount, firstWarning: reader.firstWarning ?? end,
            colorWarning: color.warning, exif: wish.readsMetadata ? reader.exif() : nil)
    }

    /// Inks are converted row by row, since nothing is to be averaged of them: by the profile, or by a rule of thumb.
    private func convert(cmyk: Span<UInt8>, pixels: Int, into rgb: inout [UInt8]) {
        if let transform = color.transform {
            transform.convert(cmyk, pixels: pixels, into: &rgb)
        } else {
            CMYK.convert(cmyk, isInverted: header.fields.has_adobe_marker, pixels: pixels, into: &rgb)
        }
    }
}
