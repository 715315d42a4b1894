internal import SpyglassPixels

private struct PixelRows {
    private let top: UnsafeRawPointer
    private let bottom: UnsafeRawPointer
    /// All bits, or none without a lower row.
    private let bottomMask: UInt32

    /// Rows of an image whose bytes start at `start`; the memory must outlive this value.
    init(_ row: Int, of size: PixelSize, at start: UnsafeRawPointer) {
        let stride = size.width * PixelBuffer.bytesPerPixel
        top = start + 2 * row * stride
        let hasBottom = 2 * row + 1 < size.height
        bottom = hasBottom ? top + stride : top
        bottomMask = hasBottom ? .max : 0
    }

    /// The halves of a cell; below an odd last row the lower half is transparent.
    @inline(__always)
    subscript(column: Int) -> (top: PackedPixel, bottom: PackedPixel) {
        let offset = column * PixelBuffer.bytesPerPixel
        let upper = UInt32(littleEndian: top.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let lower = UInt32(littleEndian: bottom.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        return (PackedPixel(number: upper), PackedPixel(number: lower & bottomMask))
    }
}

extension SymbolEncoder {
    /// `ESC [`, two colours of `38;2;255;255;255;`, of which the last semicolon is the `m`, and a block.
    private static let maxCell = 2 + 17 + 17 + 3
    private static let resetCount = 4  // ESC [ 0 m

    static func maxRow(columns: Int) -> Int { columns * maxCell + resetCount + ByteCursor.slack }

    mutating func appendColors<Scheme: ColorScheme>(
        _ scheme: Scheme.Type, _ row: Int, of image: PixelBuffer, to bytes: inout [UInt8]
    ) {
        let columns = image.size.width
        image.bytes.withUnsafeBytes { pixels in
            guard let pixels = pixels.baseAddress else { return }
            let rows = PixelRows(row, of: image.size, at: pixels)
            // `ByteCursor` does not check bounds: reserve the worst case of every cell.
            bytes.append(cursorCapacity: Self.maxRow(columns: columns)) { cursor, decimal in
                var sink = SGRSink<Scheme>(cursor: cursor, decimal: decimal)
                walk(rows, columns, to: &sink)
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
            walk(PixelRows(row, of: image.size, at: pixels), image.size.width, to: &sink)
            cells = sink.cells
        }
    }

    @inline(__always)
    private mutating func walk<Sink: SymbolSink>(_ rows: PixelRows, _ columns: Int, to sink: inout Sink) {
        for column in 0..<columns {
            let halves = glyphs == .utf8 ? rows[column] : mean(rows[column])
            let top = code(Sink.Scheme.self, halves.top)
            let bottom = code(Sink.Scheme.self, halves.bottom)
            if top == bottom {
                sink.space(on: bottom)
            } else if top == ColorCode.terminalDefault {
                sink.lowerBlock(bottom, on: top)
            } else {
                sink.upperBlock(top, on: bottom)
            }
        }
    }

    @inline(__always)
    private mutating func code<Scheme: ColorScheme>(_ scheme: Scheme.Type, _ pixel: PackedPixel) -> ColorCode {
        if pixel.isOpaque { return Scheme.code(of: pixel, &nearest) }
        if pixel.isTransparent { return ColorCode.terminalDefault }
        return Scheme.code(of: PackedPixel(linear: pixel.linear(over: backdrop)), &nearest)
    }

    /// Both halves as their mean in linear light, the one colour of an ASCII cell.
    private func mean(_ halves: (top: PackedPixel, bottom: PackedPixel)) -> (top: PackedPixel, bottom: PackedPixel) {
        if halves.top.isTransparent, halves.bottom.isTransparent { return (.transparent, .transparent) }
        let sum = halves.top.linear(over: backdrop) + halves.bottom.linear(over: backdrop)
        let mean = PackedPixel(linear: sum / 2)
        return (mean, mean)
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
            let rows = PixelRows(row, of: image.size, at: pixels)
            for column in 0..<image.size.width {
                let (top, bottom) = rows[column]
                if top.isTransparent, bottom.isTransparent {
                    emit(" ")
                    continue
                }
                let sum = top.linear(over: backdrop) + bottom.linear(over: backdrop)
                let level = min(max(Int(lightness(sum / 2) * Float(ramp.count)), 0), ramp.count - 1)
                emit(ramp[isInverted ? ramp.count - 1 - level : level])
            }
        }
    }
}
