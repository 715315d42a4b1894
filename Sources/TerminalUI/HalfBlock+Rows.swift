internal import SpyglassPixels

/// UTF-8 of the glyphs, packed with the first byte lowest.
private enum Block {
    static let upper: UInt64 = 0x80_96E2  // ▀ U+2580
    static let lower: UInt64 = 0x84_96E2  // ▄ U+2584
    static let count = 3
}

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
    private static let largestCell = 2 + 17 + 17 + 3
    private static let resetCount = 4  // ESC [ 0 m

    /// The most bytes a row of cells takes, with what `ByteCursor` needs behind them.
    static func largestRow(columns: Int) -> Int {
        columns * largestCell + resetCount + ByteCursor.slack
    }

    mutating func appendColors<Scheme: ColorScheme>(
        _ scheme: Scheme.Type, _ row: Int, of picture: PixelBuffer, to bytes: inout [UInt8]
    ) {
        let columns = picture.size.width
        picture.bytes.withUnsafeBytes { pixels in
            guard let pixels = pixels.baseAddress else { return }
            let rows = PixelRows(row, of: picture.size, at: pixels)
            // The worst case of every cell, which is the proof that `ByteCursor` asks for.
            bytes.append(addingCapacity: Self.largestRow(columns: columns)) { output in
                output.withUnsafeMutableBufferPointer { memory, count in
                    guard let start = memory.baseAddress else { return }
                    var cursor = ByteCursor(start + count)
                    writeCells(scheme, rows, columns, to: &cursor)
                    count = cursor.position - start
                }
            }
        }
        bytes.append(SGR.reset)
    }

    @inline(__always)
    private mutating func writeCells<Scheme: ColorScheme>(
        _ scheme: Scheme.Type, _ rows: PixelRows, _ columns: Int, to cursor: inout ByteCursor
    ) {
        DecimalTable.entries.withUnsafeBufferPointer { table in
            guard let decimal = table.baseAddress else { return }
            var foreground = Ink.unknown
            var background = Ink.unknown
            for column in 0..<columns {
                let halves = glyphs == .utf8 ? rows[column] : mean(rows[column])
                let top = ink(scheme, halves.top)
                let bottom = ink(scheme, halves.bottom)
                if top == bottom {
                    writeSGR(scheme, foreground, bottom, &foreground, &background, to: &cursor, decimal)
                    cursor.write(UInt64(UInt8(ascii: " ")), count: 1)
                } else if top == Ink.standard {
                    writeSGR(scheme, bottom, top, &foreground, &background, to: &cursor, decimal)
                    cursor.write(Block.lower, count: Block.count)
                } else {
                    writeSGR(scheme, top, bottom, &foreground, &background, to: &cursor, decimal)
                    cursor.write(Block.upper, count: Block.count)
                }
            }
        }
    }

    /// The ink of one half of a cell, blended if need be.
    @inline(__always)
    private mutating func ink<Scheme: ColorScheme>(_ scheme: Scheme.Type, _ pixel: PackedPixel) -> Ink {
        if pixel.isOpaque { return Scheme.ink(pixel, &nearest) }
        if pixel.isTransparent { return Ink.standard }
        return Scheme.ink(PackedPixel(linear: pixel.linear(over: backdrop)), &nearest)
    }

    /// Sends what differs from what is set, as one sequence.
    @inline(__always)
    private func writeSGR<Scheme: ColorScheme>(
        _ scheme: Scheme.Type, _ newForeground: Ink, _ newBackground: Ink, _ foreground: inout Ink,
        _ background: inout Ink, to cursor: inout ByteCursor, _ decimal: UnsafePointer<UInt32>
    ) {
        guard newForeground != foreground || newBackground != background else { return }
        cursor.write(0x5B1B, count: 2)  // ESC [
        if newForeground != foreground {
            foreground = newForeground
            Scheme.writeForeground(newForeground, to: &cursor, decimal)
        }
        if newBackground != background {
            background = newBackground
            if newBackground == Ink.standard {
                cursor.write(0x3B_3934, count: 3)  // 49;
            } else {
                Scheme.writeBackground(newBackground, to: &cursor, decimal)
            }
        }
        cursor.endSGR()
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
    /// One character a cell, by the mean linear luminance of its halves.
    ///
    /// More ink is more light, unless the background is light and ink is dark. Transparent cells are spaces.
    func appendRamp(_ row: Int, of picture: PixelBuffer, to bytes: inout [UInt8]) {
        let ramp = glyphs == .utf8 ? Ramp.utf8 : Ramp.ascii
        let inkIsDark = Lightness.of(Lightness.luminance(backdrop.linear)) > 0.5
        picture.bytes.withUnsafeBytes { pixels in
            guard let pixels = pixels.baseAddress else { return }
            let rows = PixelRows(row, of: picture.size, at: pixels)
            for column in 0..<picture.size.width {
                let (top, bottom) = rows[column]
                if top.isTransparent, bottom.isTransparent {
                    bytes.append(UInt8(ascii: " "))
                    continue
                }
                let sum = top.linear(over: backdrop) + bottom.linear(over: backdrop)
                let lightness = Lightness.of(Lightness.luminance(sum / 2))
                let level = min(max(Int(lightness * Float(ramp.count)), 0), ramp.count - 1)
                bytes.append(ramp[inkIsDark ? ramp.count - 1 - level : level])
            }
        }
    }
}
