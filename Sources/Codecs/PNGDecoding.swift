internal import SpyglassCPNG
internal import SpyglassPixels

/// One PNG on its way from bytes to a picture: header, rows into the resampler.
struct PNGDecoding: ~Copyable {
    let info: ImageInfo
    private let reader: PNGReader
    private let limits: ImageLimits
    private let header: sg_png_header

    /// Holds the header against the limits, first by a look of our own, then through the library.
    init(_ input: ByteReader, _ limits: ImageLimits) throws(DecodeError) {
        let head = input.head
        let stated = try PNGHeader.size(head.span)
        if let stated { try limits.check(stated) }
        let reader = try PNGReader(input, limits)
        let header = try reader.readHeader()
        let size = try limits.size(header.width, header.height)
        info = ImageInfo(
            format: .png, storedSize: size, orientation: reader.orientation() ?? .up,
            isProgressive: header.is_interlaced,
            hasAlpha: header.has_transparency || header.color_type & PNGHeader.alphaBit != 0,
            colorDescription: PNGHeader.describe(header))
        self.reader = reader
        self.limits = limits
        self.header = header
    }

    /// Decodes to the size that is wanted, upright.
    func decode(to target: TargetSize, _ isCancelled: () -> Bool) throws(DecodeError) -> DecodedImage {
        let wanted = info.orientation.displayed(target.size(for: info.size))
        try limits.check(wanted)
        let (layout, rowBytes) = try reader.start()
        return header.is_interlaced
            ? try readPasses(layout, rowBytes, wanted, isCancelled)
            : try readRows(layout, rowBytes, wanted, isCancelled)
    }

    private var transfer: TransferCurve {
        header.has_color_space ? .sRGB : PNGHeader.transfer(gamma: header.gamma)
    }

    // MARK: Rows

    private func readRows(
        _ layout: RowLayout, _ rowBytes: Int, _ wanted: PixelSize, _ isCancelled: () -> Bool
    ) throws(DecodeError) -> DecodedImage {
        var resampler = AreaResampler(from: info.storedSize, to: wanted, layout: layout, transfer: transfer)
        let height = info.storedSize.height
        let bandRows = Self.rows(of: rowBytes)
        var band = [UInt8](repeating: 0, count: bandRows * rowBytes)
        var rows = 0
        var isBroken = false
        while rows < height, !isBroken {
            if isCancelled() { throw .cancelled }
            var done: UInt32 = 0
            isBroken = !reader.readRows(into: &band, stride: rowBytes, count: min(bandRows, height - rows), done: &done)
            for row in 0..<Int(done) { resampler.add(band.span.extracting(row * rowBytes..<(row + 1) * rowBytes)) }
            rows += Int(done)
        }
        guard rows > 0, !reader.isUnread else { throw reader.failure() }
        return image(resampler.finish(), rows: rows, isComplete: rows == height, isBroken: isBroken)
    }

    /// Adam7: seven smaller pictures, each a row of pixels apart (PNG specification, section 8.2).
    private func readPasses(
        _ layout: RowLayout, _ rowBytes: Int, _ wanted: PixelSize, _ isCancelled: () -> Bool
    ) throws(DecodeError) -> DecodedImage {
        var resampler = InterlacedResampler(from: info.storedSize, to: wanted, layout: layout, transfer: transfer)
        let size = info.storedSize
        let bandRows = Self.rows(of: rowBytes)
        var band = [UInt8](repeating: 0, count: bandRows * rowBytes)
        var isBroken = false
        /// Stored rows that the first pass, or all of them, reached.
        var coveredRows = 0
        var passesRead = 0
        while passesRead < PNGHeader.passes, !isBroken {
            let pass = sg_png_pass_at(CInt(passesRead), header.width, header.height)
            let rowsInPass = pass.columns == 0 ? 0 : Int(pass.rows)
            let passBytes = Int(pass.columns) * layout.channels
            var rows = 0
            while rows < rowsInPass, !isBroken {
                if isCancelled() { throw .cancelled }
                var done: UInt32 = 0
                let count = min(bandRows, rowsInPass - rows)
                isBroken = !reader.readRows(into: &band, stride: rowBytes, count: count, done: &done)
                for row in 0..<Int(done) {
                    resampler.add(
                        band.span.extracting(row * rowBytes..<row * rowBytes + passBytes),
                        y: Int(pass.first_row) + (rows + row) * Int(pass.row_step), x: Int(pass.first_column),
                        xStep: Int(pass.column_step))
                }
                rows += Int(done)
            }
            if passesRead == 0 { coveredRows = min(rows * Int(pass.row_step), size.height) }
            if rows == rowsInPass { passesRead += 1 }
        }
        guard coveredRows > 0, !reader.isUnread else { throw reader.failure() }
        return image(
            resampler.finish(), rows: coveredRows, isComplete: passesRead == PNGHeader.passes, isBroken: isBroken)
    }

    /// Rows that are decoded before they are averaged: enough that calls cost nothing, few enough for a core's cache.
    private static func rows(of rowBytes: Int) -> Int { max(64 * 1024 / max(rowBytes, 1), 1) }

    /// A file that ends after its last row lacks nothing; damage found there may have changed any row.
    private func image(_ pixels: PixelBuffer, rows: Int, isComplete: Bool, isBroken: Bool) -> DecodedImage {
        let isWhole = isComplete && (!isBroken || reader.isCut)
        return DecodedImage(
            pixels: pixels.oriented(info.orientation), info: info,
            completeness: isWhole ? .whole : .partial(rows: rows, of: info.storedSize.height),
            warnings: reader.warningCount, firstWarning: reader.firstWarning ?? (isBroken ? reader.message : nil))
    }
}
