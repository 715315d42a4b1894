internal import SpyglassPixels

/// Interlaced images: rows in order, put together from the seven passes.
///
/// Small passes are kept. Each other pass has a reader of its own, which unpacks the file from its start: twice as much at
/// most, and memory is that of some rows, whatever the size of the image.
extension PNGDecoding {
    /// Where pixels are missing, those of coarser passes stand for them.
    func readPasses(
        _ layout: RowLayout, _ rowBytes: Int, _ area: PixelArea, keeping keptBytes: Int, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let size = info.storedSize
        let passes = Adam7Pass.all.map { PassRows($0, of: size, layout) }
        var rows = [UInt8](repeating: 0, count: Adam7Pass.blockSide / 2 * rowBytes)
        var isBroken = false
        var bytes = 0
        for pass in passes.dropLast() where !isBroken {
            bytes += pass.byteCount
            isBroken = try !pass.read(from: reader, keeping: bytes <= keptBytes, through: &rows, rowBytes, input)
        }
        if !reader.isUnread {
            for pass in passes.dropLast() where pass.needsReader {
                let input = ByteReader(again: input)
                pass.reader = try reader(at: pass, input, &rows, rowBytes)
                pass.input = input
            }
        }
        let coveredRows = min(passes[0].count * Adam7Pass.blockSide, size.height)
        guard coveredRows > 0, !reader.isUnread else { throw reader.failure() }
        let last = passes[passes.count - 1]
        var block = [UInt8](repeating: 0, count: Adam7Pass.blockSide * rowBytes)
        for top in stride(from: 0, to: min(coveredRows, area.endY), by: Adam7Pass.blockSide) {
            try input.checkCancelled()
            let height = min(Adam7Pass.blockSide, coveredRows - top)
            for pass in passes.dropLast() {
                let count = try pass.next(pass.pass.rows(of: height), into: &rows, rowBytes)
                pass.spread(rows, count, of: height, over: &block, rowBytes)
            }
            var done: UInt32 = 0
            let count = min(last.pass.rows(of: height), last.total - last.count)
            if !isBroken { isBroken = !reader.readRows(into: &rows, stride: rowBytes, count: count, done: &done) }
            last.count += Int(done)
            last.spread(rows, Int(done), of: height, over: &block, rowBytes)
            let wanted = min(height, area.endY - top)
            for row in min(max(area.y - top, 0), wanted)..<wanted {
                take(block.span.extracting(row * rowBytes..<(row + 1) * rowBytes))
            }
        }
        guard !reader.isUnread else { throw reader.failure() }
        for pass in passes { try pass.input?.finishBlock() }
        let isComplete =
            passes.dropLast().allSatisfy { $0.count == $0.total }
            && last.count >= min(last.pass.rows(of: area.endY), last.total)
        return rowsRead(coveredRows, of: area.endY, isComplete: isComplete, isBroken: isBroken)
    }

    private func reader(
        at pass: PassRows, _ input: ByteReader, _ rows: inout [UInt8], _ rowBytes: Int
    ) throws(CodecError) -> PNGReader {
        let reader = try PNGReader(input, limits, onlyPixels: true)
        _ = try reader.readHeader()
        _ = try reader.start()
        for earlier in Adam7Pass.all.prefix(while: { $0 != pass.pass }) {
            let skipped = PassRows(earlier, of: info.storedSize, pass.layout)
            guard try skipped.read(from: reader, keeping: false, through: &rows, rowBytes, input) else {
                throw reader.failure()
            }
        }
        return reader
    }
}

private final class PassRows {
    let pass: Adam7Pass
    let layout: RowLayout
    /// Rows of a complete file, and those that this one has.
    let total: Int
    var count = 0
    var reader: PNGReader?
    var input: ByteReader?
    private let width: Int
    private let columns: Int
    private var kept: [UInt8] = []
    private var taken = 0

    init(_ pass: Adam7Pass, of size: PixelSize, _ layout: RowLayout) {
        self.pass = pass
        self.layout = layout
        width = size.width
        columns = pass.columns(of: size.width)
        total = columns > 0 ? pass.rows(of: size.height) : 0
    }

    private var lineBytes: Int { columns * layout.channels }
    var byteCount: Int { total * lineBytes }
    var needsReader: Bool { count > 0 && kept.isEmpty }

    /// Counts the rows of the pass, which is the reader's next; returns whether all could be read.
    func read(
        from source: borrowing PNGReader, keeping keeps: Bool, through rows: inout [UInt8], _ rowBytes: Int,
        _ input: ByteReader
    ) throws(CodecError) -> Bool {
        if keeps { kept.reserveCapacity(byteCount) }
        while count < total {
            try input.checkCancelled()
            var done: UInt32 = 0
            let wanted = min(rows.count / rowBytes, total - count)
            let isWhole = source.readRows(into: &rows, stride: rowBytes, count: wanted, done: &done)
            if keeps { for row in 0..<Int(done) { kept += rows[row * rowBytes..<row * rowBytes + lineBytes] } }
            count += Int(done)
            guard isWhole else { return false }
        }
        return true
    }

    /// Gets the next rows, `wanted` at most; returns their number.
    func next(_ wanted: Int, into rows: inout [UInt8], _ rowBytes: Int) throws(CodecError) -> Int {
        let wanted = min(wanted, count - taken)
        guard wanted > 0 else { return 0 }
        if reader != nil {
            var done: UInt32 = 0
            let isWhole = reader?.readRows(into: &rows, stride: rowBytes, count: wanted, done: &done) ?? false
            // The first reader had these rows.
            if !isWhole, done < wanted {
                throw reader?.isUnread == true
                    ? reader?.failure() ?? .cancelled : CodecError(.unreadable, "changed while it was read")
            }
        } else {
            for row in 0..<wanted {
                let start = (taken + row) * lineBytes
                rows.replaceSubrange(row * rowBytes..<row * rowBytes + lineBytes, with: kept[start..<start + lineBytes])
            }
        }
        taken += wanted
        return wanted
    }

    /// Puts the first `count` rows in their places of a block of `height` rows; missing ones repeat the pixels of coarser passes.
    func spread(_ rows: [UInt8], _ count: Int, of height: Int, over block: inout [UInt8], _ rowBytes: Int) {
        guard columns > 0 else { return }
        let channels = layout.channels
        precondition(count * rowBytes <= rows.count && height * rowBytes <= block.count && width * channels <= rowBytes)
        rows.withUnsafeBytes { rows in
            block.withUnsafeMutableBytes { block in
                guard let rows = rows.baseAddress, let block = block.baseAddress else { return }
                for row in 0..<pass.rows(of: height) {
                    let y = pass.firstRow + row * pass.rowStep
                    let place = block + (y * rowBytes + pass.firstColumn * channels)
                    if row < count {
                        copy(rows + row * rowBytes, channels, to: place)
                    } else {
                        let coarser = UnsafeRawPointer(block + (y - pass.firstRow) * rowBytes)
                        copy(coarser, channels * pass.columnStep, to: place)
                    }
                }
            }
        }
    }

    private func copy(_ from: UnsafeRawPointer, _ step: Int, to place: UnsafeMutableRawPointer) {
        let placeStep = pass.columnStep * layout.channels
        if step == placeStep, placeStep == layout.channels { return place.copyMemory(from: from, byteCount: lineBytes) }
        func copy<Pixel: BitwiseCopyable>(_ type: Pixel.Type, at offset: Int = 0) {
            for column in 0..<columns {
                let pixel = from.loadUnaligned(fromByteOffset: column &* step &+ offset, as: type)
                place.storeBytes(of: pixel, toByteOffset: column &* placeStep &+ offset, as: type)
            }
        }
        switch layout {
        case .gray: copy(UInt8.self)
        case .grayAlpha: copy(UInt16.self)
        case .rgb:
            copy(UInt16.self)
            copy(UInt8.self, at: 2)
        case .rgba: copy(UInt32.self)
        }
    }
}
