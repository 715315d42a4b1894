/// Keeps the sums of light of every target pixel, and how much source area they run over.
struct PassSums: PassStore {
    private let source: PixelSize
    private let target: PixelSize
    private let layout: RowLayout
    private let light: [UInt16]
    /// Light x area of each channel of each target pixel, premultiplied by alpha.
    private var sums: [UInt64]
    /// The source area that reached each target pixel; a whole pixel's is `source.pixelCount`.
    private var areas: [UInt64]

    static func memory(of target: PixelSize, layout: RowLayout) -> Int {
        target.pixelCount.multipliedReportingOverflow(by: (layout.channels + 1) * MemoryLayout<UInt64>.size)
            .partialValue
    }

    init(from source: PixelSize, to target: PixelSize, layout: RowLayout, transfer: TransferCurve) {
        self.source = source
        self.target = target
        self.layout = layout
        light = transfer.light()
        sums = [UInt64](repeating: 0, count: target.pixelCount * layout.channels)
        areas = [UInt64](repeating: 0, count: target.pixelCount)
    }

    mutating func add(_ row: Span<UInt8>, y: Int, x: Int, xStep: Int) {
        guard y >= 0, y < source.height else { return }
        var from = 0
        for sourceX in stride(from: x, to: source.width, by: xStep) {
            let pixel = premultiplied(row, at: from)
            from += layout.channels
            for (targetY, height) in Overlaps(of: y, source: source.height, target: target.height) {
                for (targetX, width) in Overlaps(of: sourceX, source: source.width, target: target.width) {
                    add(pixel, to: targetY * target.width + targetX, area: UInt64(height * width))
                }
            }
        }
    }

    /// Light of up to three channels, then alpha, on the scale of light.
    private func premultiplied(_ row: Span<UInt8>, at: Int) -> SIMD4<UInt64> {
        var pixel = SIMD4<UInt64>(repeating: 0)
        let alpha = layout.hasAlpha ? UInt64(row[at + layout.lightChannels]) : 255
        for channel in 0..<layout.lightChannels {
            pixel[channel] = (UInt64(light[Int(row[at + channel])]) * alpha + 127) / 255
        }
        if layout.hasAlpha { pixel[layout.lightChannels] = alpha * 257 }
        return pixel
    }

    private mutating func add(_ pixel: SIMD4<UInt64>, to index: Int, area: UInt64) {
        for channel in 0..<layout.channels { sums[index * layout.channels + channel] += pixel[channel] * area }
        areas[index] += area
    }

    func finish() -> PixelBuffer {
        let average = PixelAverage(layout: layout)
        var picture = PixelBuffer(size: target)
        sums.withUnsafeBufferPointer { sums in
            for y in 0..<target.height {
                for x in 0..<target.width {
                    guard let known = nearestKnown(x, y) else { continue }
                    picture[x, y] = average.pixel(sums, column: known, scale: 1 / Double(areas[known]))
                }
            }
        }
        return picture
    }

    /// The index of the target pixel itself or, where no pixel came, of the one that holds the corner of its block in a coarser pass.
    private func nearestKnown(_ x: Int, _ y: Int) -> Int? {
        let index = y * target.width + x
        if areas[index] > 0 { return index }
        // The centre of the target pixel, and the corners of the blocks of passes 6 to 1 around it.
        let sourceX = (2 * x + 1) * source.width / (2 * target.width)
        let sourceY = (2 * y + 1) * source.height / (2 * target.height)
        for (width, height) in [(1, 2), (2, 2), (2, 4), (4, 4), (4, 8), (8, 8)] {
            let cornerX = (sourceX & ~(width - 1)) * target.width / source.width
            let cornerY = (sourceY & ~(height - 1)) * target.height / source.height
            let corner = cornerY * target.width + cornerX
            if areas[corner] > 0 { return corner }
        }
        return nil
    }
}

/// The target pixels that a source pixel overlaps along one axis, and by how much, in units of which a source pixel is `target` long.
struct Overlaps: Sequence, IteratorProtocol {
    private let source: Int
    private var start: Int
    private let end: Int

    init(of index: Int, source: Int, target: Int) {
        self.source = source
        start = index * target
        end = start + target
    }

    mutating func next() -> (index: Int, length: Int)? {
        guard start < end else { return nil }
        let index = start / source
        let stop = Swift.min(end, (index + 1) * source)
        defer { start = stop }
        return (index, stop - start)
    }
}
