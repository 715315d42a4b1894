/// The rows of a target image, appended from the top.
struct TargetRows: ~Copyable {
    let size: PixelSize
    private let average: PixelAverage
    private var bytes: [UInt8] = []

    init(size: PixelSize, layout: RowLayout) {
        self.size = size
        average = PixelAverage(layout: layout)
        bytes.reserveCapacity(size.pixelCount * PixelBuffer.bytesPerPixel)
    }

    mutating func append(_ sums: [UInt64], area: UInt64) {
        let scale = 1 / Double(area)
        let average = average
        let width = size.width
        sums.withUnsafeBufferPointer { sums in
            bytes.append(addingCapacity: width * PixelBuffer.bytesPerPixel) { output in
                for column in 0..<width {
                    let pixel = average.pixel(sums, column: column, scale: scale)
                    output.append(pixel.red)
                    output.append(pixel.green)
                    output.append(pixel.blue)
                    output.append(pixel.alpha)
                }
            }
        }
    }

    mutating func append(_ row: Span<UInt8>, in layout: RowLayout) {
        let width = size.width
        precondition(row.count >= width * layout.channels, "a whole row")
        row.withUnsafeBufferPointer { row in
            guard let row = row.baseAddress else { return }
            bytes.append(addingCapacity: width * PixelBuffer.bytesPerPixel) { output in
                output.withUnsafeMutableBufferPointer { place, count in
                    guard let start = place.baseAddress else { return }
                    Self.copy(row, layout, width, to: UnsafeMutableRawPointer(start + count))
                    count += width * PixelBuffer.bytesPerPixel
                }
            }
        }
    }

    /// Transparent pixels become 0.
    private static func copy(
        _ row: UnsafePointer<UInt8>, _ layout: RowLayout, _ width: Int, to pixels: UnsafeMutableRawPointer
    ) {
        func put(_ word: UInt32, _ column: Int) {
            pixels.storeBytes(of: word.littleEndian, toByteOffset: column &* 4, as: UInt32.self)
        }
        func word(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8) -> UInt32 {
            alpha == 0 ? 0 : UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | UInt32(alpha) << 24
        }
        switch layout {
        case .gray: for column in 0..<width { put(UInt32(row[column]) &* 0x1_0101 | 0xFF00_0000, column) }
        case .grayAlpha:
            for column in 0..<width {
                let at = column &* 2
                put(word(row[at], row[at], row[at], row[at &+ 1]), column)
            }
        case .rgb:
            for column in 0..<width {
                let at = column &* 3
                put(word(row[at], row[at &+ 1], row[at &+ 2], 255), column)
            }
        case .rgba:
            for column in 0..<width {
                let at = column &* 4
                put(word(row[at], row[at &+ 1], row[at &+ 2], row[at &+ 3]), column)
            }
        }
    }

    consuming func finish() -> PixelBuffer {
        let missing = size.pixelCount * PixelBuffer.bytesPerPixel - bytes.count
        if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
        return PixelBuffer(size: size, bytes: bytes)
    }
}

/// Converts sums of light to sRGB pixels with straight alpha.
private struct PixelAverage {
    let layout: RowLayout
    let encoder = LinearLight.encoder

    @inline(always)
    func pixel(_ sums: UnsafeBufferPointer<UInt64>, column: Int, scale: Double) -> RGBA {
        let at = column &* layout.channels
        guard layout.hasAlpha else {
            let red = encoder.encode(light(sums[at], scale))
            guard layout == .rgb else { return RGBA(red, red, red) }
            return RGBA(red, encoder.encode(light(sums[at + 1], scale)), encoder.encode(light(sums[at + 2], scale)))
        }
        let coverage = Double(sums[at + layout.lightChannels])
        // One step of eight-bit alpha is 257 steps of light.
        let alpha = UInt8(min(coverage * scale / 257 + 0.5, 255))
        guard alpha > 0 else { return RGBA(0, 0, 0, 0) }
        // Division by the alpha sum undoes the premultiplication.
        let straight = Double(LinearLight.maximum) / coverage
        let red = encoder.encode(light(sums[at], straight))
        guard layout == .rgba else { return RGBA(red, red, red, alpha) }
        return RGBA(
            red, encoder.encode(light(sums[at + 1], straight)), encoder.encode(light(sums[at + 2], straight)), alpha)
    }

    @inline(always)
    private func light(_ sum: UInt64, _ scale: Double) -> Int { Int(Double(sum) * scale + 0.5) }
}
