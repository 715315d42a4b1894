internal import SpyglassCJPEG
internal import SpyglassPixels

/// One JPEG on its way from bytes to a picture: header, scale, scans, rows into the resampler.
struct JPEGDecoding: ~Copyable {
    let info: ImageInfo
    private let reader: JPEGReader
    private let input: ByteReader
    private let limits: ImageLimits
    private let header: sg_jpeg_header
    private let windowBytes: Int

    /// Reads the header and holds it against the limits; bytes are fed `windowBytes` at a time.
    init(_ input: ByteReader, _ limits: ImageLimits, windowBytes: Int) throws(DecodeError) {
        let reader = try JPEGReader(limits)
        var header = sg_jpeg_header()
        while try reader.readHeader(&header) == .needsInput {
            if input.bytesRead > limits.bodyBytes { throw limits.longHeader() }
            guard try Self.feed(reader, from: input, windowBytes) else {
                throw .corrupt(.jpeg, "the file ends inside its header")
            }
        }
        let size = try limits.size(header.width, header.height)
        info = ImageInfo(
            format: .jpeg, storedSize: size, orientation: reader.orientation() ?? .up,
            isProgressive: header.is_progressive, hasAlpha: false, colorDescription: Self.describe(header))
        self.reader = reader
        self.input = input
        self.limits = limits
        self.header = header
        self.windowBytes = windowBytes
    }

    private static func describe(_ header: sg_jpeg_header) -> String {
        let space =
            switch (header.color, header.is_luma_chroma) {
            case (SG_JPEG_COLOR_GRAY, _): "grey"
            case (SG_JPEG_COLOR_RGB, false): "RGB"
            case (SG_JPEG_COLOR_RGB, true): "YCbCr"
            case (SG_JPEG_COLOR_CMYK, false): "CMYK"
            case (SG_JPEG_COLOR_CMYK, true): "YCCK"
            default: "\(header.components) components"
            }
        return "\(space), 8 bits"
    }

    // MARK: Decoding

    /// Decodes to the size that is wanted, upright.
    func decode(to target: TargetSize, isExact: Bool) throws(DecodeError) -> DecodedImage {
        let wanted = info.orientation.displayed(target.size(for: info.size))
        try limits.checkTarget(wanted)
        try checkKind()
        if header.is_arithmetic { try feedEverything() }
        let scale = isExact ? .full : DCTScale.fitting(info.storedSize, to: wanted)
        var output = sg_jpeg_output()
        try finish { () throws(DecodeError) in
            try reader.start(eighths: scale.eighths, fancyUpsampling: scale.fancyUpsampling, &output)
        }
        var realRows = output.height
        if header.has_several_scans {
            try readScans()
            try finish { () throws(DecodeError) in try reader.startOutput(&realRows) }
        }
        return try readRows(output, realRows: Int(realRows), scale, wanted)
    }

    private func checkKind() throws(DecodeError) {
        if header.color == SG_JPEG_COLOR_OTHER {
            throw .unsupported(.jpeg, "\(header.components) components of unknown colours")
        }
        if header.has_several_scans, header.coefficient_bytes > UInt64(clamping: limits.coefficientBytes) {
            let (needed, limit) = (header.coefficient_bytes >> 20, limits.coefficientBytes >> 20)
            throw DecodeError(
                .coefficientBytes(needing: Int(clamping: header.coefficient_bytes)),
                "\(info.storedSize) in several scans needs \(needed) MiB, above the limit of \(limit) MiB")
        }
    }

    private func readScans() throws(DecodeError) {
        var scan: CInt = 1
        var hasEnded = false
        while !hasEnded {
            try input.checkCancelled()
            let progress = try advance { () throws(DecodeError) in try reader.readScan(&scan, &hasEnded) }
            if progress == .cut { return }
            if Int(scan) > limits.scans {
                throw DecodeError(.scans(needing: Int(scan)), "more than \(limits.scans) scans")
            }
        }
    }

    /// Brings the real rows into the resampler.
    private func readRows(
        _ output: sg_jpeg_output, realRows: Int, _ scale: DCTScale, _ wanted: PixelSize
    ) throws(DecodeError) -> DecodedImage {
        let size = PixelSize(width: Int(output.width), height: Int(output.height))
        let isCMYK = header.color == SG_JPEG_COLOR_CMYK
        let layout: RowLayout = header.color == SG_JPEG_COLOR_GRAY ? .gray : .rgb
        var resampler = AreaResampler(
            from: info.storedSize, to: wanted, layout: layout, step: DCTScale.full.eighths / scale.eighths)
        let stride = size.width * Int(output.channels)
        let bandRows = min(max(Self.bandBytes / stride, 1), JPEGReader.mostRows)
        var band = [UInt8](repeating: 0, count: bandRows * stride)
        var colors = [UInt8](repeating: 0, count: isCMYK ? size.width * CMYK.bytesOut : 0)
        var rows = 0
        var failure: DecodeError?
        while rows < realRows {
            var done: UInt32 = 0
            let count = min(bandRows, realRows - rows)
            var progress = JPEGReader.Progress.cut
            do throws(DecodeError) {
                progress = try reader.readRows(into: &band, stride: stride, count: count, done: &done)
            } catch {
                guard error.kind == .corrupt else { throw error }
                failure = error
            }
            for row in 0..<Int(done) {
                let pixels = band.span.extracting(row * stride..<(row + 1) * stride)
                if isCMYK {
                    CMYK.convert(pixels, isInverted: header.has_adobe_marker, pixels: size.width, into: &colors)
                    resampler.add(colors.span)
                } else {
                    resampler.add(pixels)
                }
            }
            rows += Int(done)
            if progress == .cut { break }
            try input.checkCancelled()
            if progress == .needsInput { _ = try feed() }
        }
        guard rows > 0 else {
            if let failure { throw failure }
            let detail = reader.firstWarning.map { " (\($0))" } ?? ""
            throw .corrupt(.jpeg, "it holds no row of its picture\(detail)")
        }
        let stored = info.storedSize.height
        let completeness: DecodedImage.Completeness =
            if rows < size.height { .cut(rows: rows * DCTScale.full.eighths / scale.eighths, of: stored) } else {
                reader.hasGaps ? .incomplete : .whole
            }
        let end = completeness == .whole ? nil : failure?.description ?? "the file ends early"
        return DecodedImage(
            pixels: resampler.finish().oriented(info.orientation), info: info, completeness: completeness,
            warnings: reader.warningCount, firstWarning: reader.firstWarning ?? end)
    }

    // MARK: Input

    /// Bytes of rows that are decoded before they are averaged: enough that calls cost nothing, few enough for a core's cache.
    private static let bandBytes = 128 * 1024

    /// Takes a step that must not lack anything.
    private func finish(_ step: () throws(DecodeError) -> JPEGReader.Progress) throws(DecodeError) {
        guard try advance(step) == .done else { throw .corrupt(.jpeg, "the file ends before its picture") }
    }

    /// Takes a step, feeding the reader for as long as it asks.
    private func advance(
        _ step: () throws(DecodeError) -> JPEGReader.Progress
    ) throws(DecodeError) -> JPEGReader.Progress {
        var hasEnded = false
        while true {
            let progress = try step()
            guard progress == .needsInput else { return progress }
            if hasEnded { return .cut }
            hasEnded = try !feed()
        }
    }

    /// Gives the reader more bytes; false when it has been told that there are none.
    private static func feed(
        _ reader: borrowing JPEGReader, from input: ByteReader, _ windowBytes: Int
    ) throws(DecodeError) -> Bool {
        try reader.feed(atMost: windowBytes) { (room) throws(DecodeError) in try input.read(into: room) }
    }

    private func feed() throws(DecodeError) -> Bool { try Self.feed(reader, from: input, windowBytes) }

    /// An arithmetic decoder cannot wait for bytes.
    private func feedEverything() throws(DecodeError) {
        repeat {
            if input.bytesRead > limits.bodyBytes {
                throw DecodeError(
                    .bodyBytes, "an arithmetic-coded JPEG of more than \(limits.bodyBytes) bytes")
            }
        } while try feed()
    }
}
