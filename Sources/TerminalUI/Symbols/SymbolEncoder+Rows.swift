internal import SpyglassPixels

/// One row of cells of an image; sub-pixels outside the image are transparent.
struct CellRow {
    /// Cells in the row.
    let columns: Int
    private let symbols: SymbolSet
    /// The pixels of the row that the image has.
    private let width: Int
    private let height: Int
    private let start: UnsafeRawPointer
    private let stride: Int

    /// Reads a row of an image whose bytes start at `start`; the memory must outlive this value.
    init(_ row: Int, of size: PixelSize, _ symbols: SymbolSet, at start: UnsafeRawPointer) {
        columns = symbols.columnCount(of: size)
        self.symbols = symbols
        width = size.width
        height = min(symbols.height, size.height - row * symbols.height)
        stride = size.width * PixelBuffer.bytesPerPixel
        self.start = start + row * symbols.height * stride
    }

    /// Returns the pixel of column `x` of the image and row `y` of the cells.
    @inline(__always)
    func pixel(_ x: Int, _ y: Int) -> PackedPixel {
        guard x < width, y < height else { return .transparent }
        let offset = y &* stride &+ x &* PixelBuffer.bytesPerPixel
        return PackedPixel(number: UInt32(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Calls `body` with the halves of each cell.
    @inline(__always)
    func forEachHalves(_ body: (_ top: PackedPixel, _ bottom: PackedPixel) -> Void) {
        let hasBottom = height > 1
        let bottom = hasBottom ? start + stride : start
        let mask: UInt32 = hasBottom ? .max : 0
        for column in 0..<columns {
            let offset = column * PixelBuffer.bytesPerPixel
            let upper = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            let lower = UInt32(littleEndian: bottom.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            body(PackedPixel(number: upper), PackedPixel(number: lower & mask))
        }
    }

    /// Returns a cell's mean in linear light, transparent parts over `backdrop`; `nil` if all of it is transparent.
    func mean(_ column: Int, over backdrop: PackedPixel) -> SIMD3<Float>? {
        var sum = SIMD3<Float>.zero
        var isTransparent = true
        for y in 0..<symbols.height {
            for x in column * symbols.width..<(column + 1) * symbols.width {
                let pixel = pixel(x, y)
                isTransparent = isTransparent && pixel.isTransparent
                sum += pixel.linear(over: backdrop)
            }
        }
        return isTransparent ? nil : sum / Float(symbols.width * symbols.height)
    }
}

extension SymbolEncoder {
    /// `ESC [`, two colours of `38;2;255;255;255;`, of which the last semicolon is the `m`, and a character.
    private static let maxCell = 2 + 17 + 17 + 4
    private static let resetCount = 4  // ESC [ 0 m

    static func maxRow(columns: Int) -> Int { columns * maxCell + resetCount + ByteCursor.slack }

    mutating func appendColors<Scheme: ColorScheme>(
        _ scheme: Scheme.Type, _ row: Int, of image: PixelBuffer, to bytes: inout [UInt8]
    ) {
        image.bytes.withUnsafeBytes { pixels in
            guard let pixels = pixels.baseAddress else { return }
            let row = CellRow(row, of: image.size, symbols, at: pixels)
            // `ByteCursor` does not check bounds: reserve the worst case of every cell.
            bytes.append(cursorCapacity: Self.maxRow(columns: row.columns)) { cursor, decimal in
                var sink = SGRSink<Scheme>(cursor: cursor, decimal: decimal)
                walk(row, to: &sink)
                cursor = sink.cursor
            }
        }
        bytes.append(SGR.reset)
    }

    mutating func appendCells<Scheme: ColorScheme>(
        _ scheme: Scheme.Type, _ row: Int, of image: PixelBuffer, to cells: inout [Cell]
    ) {
        image.bytes.withUnsafeBytes { pixels in
            guard let pixels = pixels.baseAddress else { return }
            var sink = CellSink<Scheme>(cells: cells)
            cells = []
            walk(CellRow(row, of: image.size, symbols, at: pixels), to: &sink)
            cells = sink.cells
        }
    }

    @inline(__always)
    private mutating func walk<Sink: SymbolSink>(_ row: CellRow, to sink: inout Sink) {
        if glyphs == .ascii {
            walkMeans(row, to: &sink)
        } else if symbols == .half {
            walkHalves(row, to: &sink)
        } else {
            walkPatterns(row, to: &sink)
        }
    }

    private mutating func walkMeans<Sink: SymbolSink>(_ row: CellRow, to sink: inout Sink) {
        for column in 0..<row.columns {
            let mean = row.mean(column, over: backdrop).map { PackedPixel(linear: $0) } ?? .transparent
            sink.space(on: code(Sink.Scheme.self, mean))
        }
    }

    @inline(__always)
    private mutating func walkHalves<Sink: SymbolSink>(_ row: CellRow, to sink: inout Sink) {
        row.forEachHalves { upper, lower in
            let top = code(Sink.Scheme.self, upper)
            let bottom = code(Sink.Scheme.self, lower)
            if top == bottom {
                sink.space(on: bottom)
            } else if top == ColorCode.terminalDefault {
                sink.put(Cell.lowerBlock, bottom, on: top)
            } else {
                sink.put(Cell.upperBlock, top, on: bottom)
            }
        }
    }

    private mutating func walkPatterns<Sink: SymbolSink>(_ row: CellRow, to sink: inout Sink) {
        withUnsafeTemporaryAllocation(of: SymbolFit.Lanes.self, capacity: SymbolFit.capacity) { memory in
            guard let memory = memory.baseAddress else { return }
            var fit = SymbolFit(symbols, over: backdrop, in: memory)
            let table = symbols.table
            for first in stride(from: 0, to: row.columns, by: SymbolFit.cells) {
                fit.fit(row, from: first)
                for lane in 0..<min(SymbolFit.cells, row.columns - first) {
                    let pattern = Int(fit.patterns[lane])
                    if fit.transparent[lane] == 0 {
                        let inside = Sink.Scheme.code(of: PackedPixel(number: fit.inside[lane]), &nearest)
                        let outside = Sink.Scheme.code(of: PackedPixel(number: fit.outside[lane]), &nearest)
                        sink.put(
                            table.common[pattern], inside, orElse: table.common[table.common.count - 1 - pattern],
                            outside)
                    } else if pattern == 0 {
                        sink.space(on: .terminalDefault)
                    } else {
                        let inside = Sink.Scheme.code(of: PackedPixel(number: fit.inside[lane]), &nearest)
                        sink.put(table.open[pattern], inside, on: .terminalDefault)
                    }
                }
            }
        }
    }

    @inline(__always)
    private mutating func code<Scheme: ColorScheme>(_ scheme: Scheme.Type, _ pixel: PackedPixel) -> ColorCode {
        if pixel.isOpaque { return Scheme.code(of: pixel, &nearest) }
        if pixel.isTransparent { return ColorCode.terminalDefault }
        return Scheme.code(of: PackedPixel(linear: pixel.linear(over: backdrop)), &nearest)
    }

    private static let asciiRamp: [StaticString] = [" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"]
    private static let utf8Ramp: [StaticString] = [" ", "░", "▒", "▓", "█"]

    /// Emits one character a cell, by mean linear luminance: denser is lighter, or darker on a light background.
    @inline(__always)
    func walkRamp(_ row: Int, of image: PixelBuffer, _ emit: (StaticString) -> Void) {
        let ramp = glyphs == .utf8 ? Self.utf8Ramp : Self.asciiRamp
        let isInverted = lightness(backdrop.linear) > 0.5
        image.bytes.withUnsafeBytes { pixels in
            guard let pixels = pixels.baseAddress else { return }
            let row = CellRow(row, of: image.size, symbols, at: pixels)
            for column in 0..<row.columns {
                guard let mean = row.mean(column, over: backdrop) else {
                    emit(" ")
                    continue
                }
                let level = min(max(Int(lightness(mean) * Float(ramp.count)), 0), ramp.count - 1)
                emit(ramp[isInverted ? ramp.count - 1 - level : level])
            }
        }
    }
}
