internal import SpyglassPixels

/// The two rows of pixels that one row of cells shows.
private struct PixelRows {
    private let top: UnsafeRawPointer
    private let bottom: UnsafeRawPointer
    /// The bits of the lower row that count: none where there is no such row.
    private let bottomMask: UInt32

    /// Rows of a picture whose bytes lie at `start`; the memory must outlive this value.
    init(_ row: Int, of size: PixelSize, at start: UnsafeRawPointer) {
        let stride = size.width * PixelBuffer.bytesPerPixel
        top = start + 2 * row * stride
        let hasBottom = 2 * row + 1 < size.height
        bottom = hasBottom ? top + stride : top
        bottomMask = hasBottom ? .max : 0
    }

    /// The halves of a cell; below an odd last row there is nothing, so it is transparent.
    @inline(__always)
    subscript(column: Int) -> (top: PackedPixel, bottom: PackedPixel) {
        let offset = column * PixelBuffer.bytesPerPixel
        let upper = UInt32(littleEndian: top.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let lower = UInt32(littleEndian: bottom.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        return (PackedPixel(number: upper), PackedPixel(number: lower & bottomMask))
    }
}

// MARK: - In colour

extension HalfBlock {
    /// `ESC [`, two colours of `38;2;255;255;255;`, of which the last semicolon is the `m`, and a block.
    private static let maxCell = 2 + 17 + 17 + 3
    private static let resetCount = 4  // ESC [ 0 m

    /// The most bytes a row of cells takes, with what `ByteCursor` needs behind them.
    static func maxRow(columns: Int) -> Int {
        columns * maxCell + resetCount + ByteCursor.slack
    }

    mutating func appendColors<Scheme: ColorScheme>(
        _ scheme: Scheme.Type, _ row: Int, of picture: PixelBuffer, to bytes: inout [UInt8]
    ) {
        let columns = picture.size.width
        picture.bytes.withUnsafeBytes { pixels in
            guard let pixels = pixels.baseAddress else { return }
            let rows = PixelRows(row, of: picture.size, at: pixels)
            // The worst case of every cell, which is the proof that `ByteCursor` asks for.
            bytes.append(addingCapacity: Self.maxRow(columns: columns)) { output in
                output.withUnsafeMutableBufferPointer { memory, count in
                    guard let start = memory.baseAddress else { return }
                    DecimalTable.entries.withUnsafeBufferPointer { table in
                        guard let decimal = table.baseAddress else { return }
                        var sink = SGRSink<Scheme>(cursor: ByteCursor(start + count), decimal: decimal)
                        walk(rows, columns, to: &sink)
                        count = sink.cursor.position - start
                    }
                }
            }
        }
        bytes.append(SGR.reset)
    }

    mutating func appendCells<Scheme: ColorScheme>(
        _ scheme: Scheme.Type, _ row: Int, of picture: PixelBuffer, to cells: inout [Cell]
    ) {
        picture.bytes.withUnsafeBytes { pixels in
            guard let pixels = pixels.baseAddress else { return }
            var sink = CellSink<Scheme>(cells: cells)
            cells = []
            walk(PixelRows(row, of: picture.size, at: pixels), picture.size.width, to: &sink)
            cells = sink.cells
        }
    }

    /// Hands the cells of a row to a sink, from the left.
    @inline(__always)
    private mutating func walk<Sink: HalfBlockSink>(_ rows: PixelRows, _ columns: Int, to sink: inout Sink) {
        for column in 0..<columns {
            let halves = glyphs == .utf8 ? rows[column] : mean(rows[column])
            let top = ink(Sink.Scheme.self, halves.top)
            let bottom = ink(Sink.Scheme.self, halves.bottom)
            if top == bottom {
                sink.space(on: bottom)
            } else if top == ColorCode.terminalDefault {
                sink.lowerBlock(bottom, on: top)
            } else {
                sink.upperBlock(top, on: bottom)
            }
        }
    }

    /// The ink of one half of a cell, blended if need be.
    @inline(__always)
    private mutating func ink<Scheme: ColorScheme>(_ scheme: Scheme.Type, _ pixel: PackedPixel) -> ColorCode {
        if pixel.isOpaque { return Scheme.ink(pixel, &nearest) }
        if pixel.isTransparent { return ColorCode.terminalDefault }
        return Scheme.ink(PackedPixel(linear: pixel.linear(over: backdrop)), &nearest)
    }

    /// Both halves as the one colour that an ASCII cell can show: their mean in linear light, on the background where
    /// only one is transparent.
    private func mean(_ halves: (top: PackedPixel, bottom: PackedPixel)) -> (top: PackedPixel, bottom: PackedPixel) {
        if halves.top.isTransparent, halves.bottom.isTransparent { return (.transparent, .transparent) }
        let sum = halves.top.linear(over: backdrop) + halves.bottom.linear(over: backdrop)
        let mean = PackedPixel(linear: sum / 2)
        return (mean, mean)
    }
}

// MARK: - Without colour

/// Characters from the least ink to the most.
private enum Ramp {
    static let ascii: [StaticString] = [" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"]
    static let utf8: [StaticString] = [" ", "░", "▒", "▓", "█"]
}

extension HalfBlock {
    func appendRamp(_ row: Int, of picture: PixelBuffer, to bytes: inout [UInt8]) {
        walkRamp(row, of: picture) { bytes.append($0) }
    }

    func appendRampCells(_ row: Int, of picture: PixelBuffer, to cells: inout [Cell]) {
        walkRamp(row, of: picture) { cells.append(Cell($0.description.unicodeScalars.first ?? " ", .plain)) }
    }

    /// One character a cell, by the mean linear luminance of its halves.
    ///
    /// More ink is more light, unless the background is light and ink is dark. Transparent cells are spaces.
    @inline(__always)
    private func walkRamp(_ row: Int, of picture: PixelBuffer, _ take: (StaticString) -> Void) {
        let ramp = glyphs == .utf8 ? Ramp.utf8 : Ramp.ascii
        let inkIsDark = Lightness.of(Lightness.luminance(backdrop.linear)) > 0.5
        picture.bytes.withUnsafeBytes { pixels in
            guard let pixels = pixels.baseAddress else { return }
            let rows = PixelRows(row, of: picture.size, at: pixels)
            for column in 0..<picture.size.width {
                let (top, bottom) = rows[column]
                if top.isTransparent, bottom.isTransparent {
                    take(" ")
                    continue
                }
                let sum = top.linear(over: backdrop) + bottom.linear(over: backdrop)
                let lightness = Lightness.of(Lightness.luminance(sum / 2))
                let level = min(max(Int(lightness * Float(ramp.count)), 0), ramp.count - 1)
                take(ramp[inkIsDark ? ramp.count - 1 - level : level])
            }
        }
    }
}
