/// The rows of a target picture, appended from the top as sums of light.
struct TargetRows: ~Copyable {
    let size: PixelSize
    private let average: PixelAverage
    private var bytes: [UInt8] = []

    init(size: PixelSize, layout: RowLayout) {
        self.size = size
        average = PixelAverage(layout: layout)
        bytes.reserveCapacity(size.pixelCount * PixelBuffer.bytesPerPixel)
    }

    /// Appends a row: each channel's light, summed over an area that weighs `area` in all.
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

    /// Appends a row of the source as it is.
    mutating func append(_ row: Span<UInt8>, in layout: RowLayout) {
        let width = size.width
        row.withUnsafeBufferPointer { row in
            bytes.append(addingCapacity: width * PixelBuffer.bytesPerPixel) { output in
                for column in 0..<width {
                    let at = column &* layout.channels
                    let alpha = layout.hasAlpha ? row[at &+ layout.lightChannels] : 255
                    let isVisible = alpha > 0
                    // Grey is all three.
                    let (green, blue) = layout.lightChannels == 1 ? (at, at) : (at &+ 1, at &+ 2)
                    output.append(isVisible ? row[at] : 0)
                    output.append(isVisible ? row[green] : 0)
                    output.append(isVisible ? row[blue] : 0)
                    output.append(alpha)
                }
            }
        }
    }

    /// The picture; rows that were never appended are transparent.
    consuming func finish() -> PixelBuffer {
        let missing = size.pixelCount * PixelBuffer.bytesPerPixel - bytes.count
        if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
        return PixelBuffer(size: size, bytes: bytes)
    }
}

/// Turns sums of light into an sRGB pixel with straight alpha.
struct PixelAverage {
    let layout: RowLayout
    private let encoder = LinearLight.encoder

    init(layout: RowLayout) { self.layout = layout }

    /// The pixel of `column`, whose sums run over an area of 1 / `scale`.
    @inline(always)
    func pixel(_ sums: UnsafeBufferPointer<UInt64>, column: Int, scale: Double) -> RGBA {
        let at = column &* layout.channels
        guard layout.hasAlpha else {
            let red = encoder.encode(light(sums[at], scale))
            guard layout == .rgb else { return RGBA(red, red, red) }
            return RGBA(red, encoder.encode(light(sums[at + 1], scale)), encoder.encode(light(sums[at + 2], scale)))
        }
        let coverage = Double(sums[at + layout.lightChannels])
        // 257 is one step of eight-bit alpha on the scale of light.
        let alpha = UInt8(min(coverage * scale / 257 + 0.5, 255))
        guard alpha > 0 else { return RGBA(0, 0, 0, 0) }
        // Dividing by the alpha sum undoes the premultiplication.
        let straight = Double(LinearLight.maximum) / coverage
        let red = encoder.encode(light(sums[at], straight))
        guard layout == .rgba else { return RGBA(red, red, red, alpha) }
        return RGBA(
            red, encoder.encode(light(sums[at + 1], straight)), encoder.encode(light(sums[at + 2], straight)), alpha)
    }

    @inline(always)
    private func light(_ sum: UInt64, _ scale: Double) -> Int { Int(Double(sum) * scale + 0.5) }
}
